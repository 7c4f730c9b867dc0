//! A line that is there for a renewal alone, and what the end of any line says of the identity that was shown.

use std::time::Duration;

use quorate_proto::v1::{self, from_agent, to_agent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Streaming;

use super::End;
use super::line::{Line, ended, goodbye, message};
use crate::gateway::{GatewayError, words};
use crate::identity::{Refused, Shown};
use crate::shared::Shared;
use crate::{clock, renewal};

/// Time for the answer: the gateway signs a certificate and writes a row.
const ANSWER_BUDGET: Duration = Duration::from_secs(20);

impl Line<'_> {
    /// Asks, keeps the answer, and leaves.
    pub(super) async fn renew_only(
        &mut self,
        mut inbound: Streaming<v1::ToAgent>,
        outbound: mpsc::Sender<v1::FromAgent>,
        shutdown: &CancellationToken,
    ) -> End {
        let asked = self.shared.wallet().ask(clock::since_boot());
        let renew = match asked {
            Ok(renew) => renew,
            Err(problem) => return End::NotRenewed(problem),
        };
        // The channel has room: nobody else sends.
        let _ = outbound.send(message(from_agent::Kind::Renew(renew))).await;
        let answered = tokio::select! {
            biased;
            answered = tokio::time::timeout(ANSWER_BUDGET, answer(&mut inbound)) => answered,
            () = shutdown.cancelled() => return End::Shutdown,
        };
        match answered {
            Ok(Ok(answer)) => match renewal::keep(self.shared, &answer) {
                Ok(()) => {
                    goodbye("renewed", "", &mut inbound, outbound, self.shared).await;
                    End::Renewed
                }
                Err(problem) => End::NotRenewed(problem),
            },
            Ok(Err(end)) => end,
            Err(_) => End::Broken(format!("no answer to a renewal within {ANSWER_BUDGET:?}")),
        }
    }
}

async fn answer(inbound: &mut Streaming<v1::ToAgent>) -> Result<v1::Renewed, End> {
    loop {
        match inbound.message().await {
            Ok(Some(v1::ToAgent { kind: Some(to_agent::Kind::Renewed(answer)) })) => return Ok(answer),
            Ok(Some(v1::ToAgent { kind: Some(to_agent::Kind::Close(close)) })) => return Err(ended(close)),
            Ok(Some(_)) => {}
            Ok(None) => return Err(End::Broken("the gateway hung up".to_owned())),
            Err(status) => return Err(End::Broken(words(&status))),
        }
    }
}

/// Learns from the end of a line what to show next. What to tell a person, if nothing is left to show.
pub(super) fn learn(
    shared: &Shared,
    shown: &Shown,
    welcomed: bool,
    end: &Result<End, GatewayError>,
) -> Option<Refused> {
    match end {
        Ok(End::Expired(_)) => {
            shared.wallet().expired();
            None
        }
        Ok(End::Closed(close)) if close.reason == "revoked" => {
            // The gateway's own words, which are logged, say what to do.
            let _ = shared.wallet().turned_away(Some(Refused::Unknown));
            None
        }
        Ok(End::Broken(_)) | Err(_) if !welcomed => {
            shared.wallet().turned_away(shown.credentials.refusal().and_then(Refused::by))
        }
        // Whoever says so much knows who is there.
        Ok(
            End::Shutdown
            | End::Planned(_)
            | End::Closed(_)
            | End::Left(_)
            | End::Renewed
            | End::NotRenewed(_)
            | End::PlanRefused(_)
            | End::Broken(_),
        )
        | Err(_) => None,
    }
}
