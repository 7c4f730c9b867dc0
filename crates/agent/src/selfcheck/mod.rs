//! What the agent says about its own host: services, own entry points, and the numbers a person looks at first.
//!
//! Like taking one's own pulse: `down` only for what was seen to be down. What may not be looked at, or could not be
//! looked at in time, is unknown, and unknown is never `down`.

use quorate_core::plan::ProbePlan;
use quorate_proto::v1;

use crate::shared::Shared;

mod metrics;
mod own;
mod pause;
mod processes;
mod services;

#[cfg(test)]
mod tests;

/// Keeps what rates are measured against, and where services were seen.
#[derive(Debug, Default)]
pub(crate) struct SelfChecker {
    meter: metrics::Meter,
    processes: processes::Processes,
}

impl SelfChecker {
    /// One look at everything.
    pub(crate) async fn check(&mut self, shared: &Shared, plan: &ProbePlan) -> v1::SelfCheck {
        let configured = &shared.config.services;
        let look = async { tokio::join!(services::look(configured, &mut self.processes), own::look(shared, plan)) };
        let ((services, mut own), paused) = pause::watched(look).await;
        if paused {
            doubt(&mut own);
        }
        let mut metrics = self.meter.measure().await;
        metrics.clock_offset_ms = shared.clock_offset_ms();
        metrics.outbox_shed = Some(shared.outbox.shed());
        metrics.edge_file_faults = Some(shared.edge_faults.count());
        v1::SelfCheck {
            health: health(!configured.is_empty(), &services, &own).into(),
            services,
            own,
            metrics: Some(metrics),
        }
    }
}

/// What did not answer in time may have answered while this process was stopped.
fn doubt(own: &mut [v1::OwnEntryPoint]) {
    for own in own {
        if own.finding() == v1::Finding::Failed {
            own.set_finding(v1::Finding::Unknown);
            "the agent was stopped while it looked".clone_into(&mut own.detail);
        }
    }
}

/// `down` iff a service that the operator named does not run, or there are own entry points and none answers.
fn health(services_configured: bool, services: &[v1::Service], own: &[v1::OwnEntryPoint]) -> v1::Health {
    let failed = v1::Finding::Failed as i32;
    let service_down = services_configured && services.iter().any(|service| service.finding == failed);
    let none_answers = !own.is_empty() && own.iter().all(|own| own.finding == failed);
    if service_down || none_answers { v1::Health::Down } else { v1::Health::Ok }
}
