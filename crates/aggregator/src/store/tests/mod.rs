//! The same sentences hold of SQLite and PostgreSQL: each body runs on both.
#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage fails there")]

mod copy;
mod crash;
mod faults;
mod folded;
mod identities;
mod keyframes;
mod messages;
mod postgres;
mod refusals;
mod reports;
mod retention;
mod upgrades;
mod versions;

use std::time::Duration;

use quorate_core::time::Moment;

use super::{NewReport, Store};

/// A database of a test's own.
pub(super) struct Place {
    pub url: String,
    _directory: Option<tempfile::TempDir>,
}

impl Place {
    fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}/data/quorate.db", directory.path().display());
        Self { url, _directory: Some(directory) }
    }

    async fn open(&self) -> Store {
        Store::open(&self.url).await.unwrap()
    }
}

/// Makes of each body a test on SQLite, and a list for the test on PostgreSQL, which starts one server for all.
macro_rules! on_both {
    ($($module:ident: $($body:ident),+;)+) => {
        mod sqlite {
            $(mod $module {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    super::super::$module::$body(super::super::Place::sqlite()).await;
                })+
            })+
        }

        #[test]
        fn postgresql_keeps_all_that_sqlite_keeps() {
            let Some(server) = postgres::start_or_skip("postgresql_keeps_all_that_sqlite_keeps") else { return };
            $($(
                let name = concat!(stringify!($module), "::", stringify!($body));
                let place = Place { url: server.new_database(), _directory: None };
                postgres::told(name, async move { $module::$body(place).await });
            )+)+
        }
    };
}

on_both! {
    refusals:
        a_database_of_a_newer_version_is_refused,
        a_database_of_somebody_else_is_refused,
        many_who_open_a_new_database_at_once_make_it_once;
    upgrades:
        a_database_of_the_first_version_is_brought_forward_with_what_is_in_it;
    reports:
        a_report_is_stored_once,
        a_batch_is_answered_in_order,
        two_outboxes_are_told_apart,
        ids_grow_in_the_order_of_commits,
        a_report_that_is_too_large_is_refused_alone,
        a_sequence_beyond_the_largest_number_is_refused,
        the_archive_is_read_in_pages_and_by_time,
        an_agent_that_begins_outbox_after_outbox_takes_no_more_room,
        a_call_that_is_dropped_changes_all_or_nothing;
    retention:
        the_oldest_reports_go_first,
        the_archive_keeps_its_size,
        what_is_not_in_the_checkpoint_stays,
        a_pruned_report_is_still_a_repeat,
        documents_that_archived_reports_need_stay;
    versions:
        an_inventory_is_replaced_only_by_who_has_read_it,
        of_many_who_replace_at_once_one_wins,
        the_inventories_of_a_time_begin_with_the_one_in_force,
        a_plan_comes_back_as_it_was;
    folded:
        a_checkpoint_never_goes_back,
        standing_verdicts_change_row_by_row,
        statuses_make_spans,
        events_are_found_from_both_ends,
        events_whose_answer_was_lost_are_appended_once,
        the_latest_moment_is_that_of_anything,
        a_fact_is_remembered_by_its_name,
        text_with_a_nul_and_without_end_is_stored_shortened,
        all_is_there_after_a_restart;
    keyframes:
        the_keyframe_before_a_moment_is_the_newest_of_which_all_later_reports_are_there,
        absences_are_found_where_they_touch,
        keyframes_go_with_the_reports_that_lead_on_from_them,
        reports_are_found_by_moment_and_by_server;
    identities:
        a_token_is_found_by_its_hash_until_revoked,
        a_sign_in_says_what_its_token_says_and_ends_with_it,
        a_sign_in_ends_when_it_is_not_used_and_at_last_in_any_case,
        a_token_has_a_bounded_number_of_sign_ins_and_the_longest_unused_goes,
        an_enrolment_is_spent_on_the_first_key,
        of_many_keys_that_come_at_once_one_is_first,
        an_enrolment_ends_with_its_time_or_its_server,
        a_key_whose_certificate_was_never_made_is_first_again,
        a_token_is_known_by_its_secret_spent_or_not,
        a_certificate_in_use_retires_the_others,
        a_server_has_one_pending_certificate_at_most,
        only_the_certificate_in_use_can_be_renewed,
        revoking_ends_all_certificates_at_once,
        sessions_are_opened_and_closed,
        changes_are_audited;
    messages:
        what_a_channel_is_told_comes_back_as_it_was,
        a_message_and_what_it_tells_are_written_together_or_not_at_all,
        a_channel_that_takes_the_name_of_another_is_another,
        deliveries_wait_arrive_and_are_given_up,
        of_too_many_that_wait_the_oldest_are_given_up,
        mutes_are_kept_for_a_while_after_their_end,
        the_newest_messages_are_kept;
}

fn at(ms: u64) -> Moment {
    Moment::from_ms(ms)
}

/// The n-th report of a server's only outbox, a second after the one before.
fn report<'a>(server: &'a str, sequence: u64, payload: &'a [u8]) -> NewReport<'a> {
    let received_at = at(1_000_000 + 1000 * sequence);
    let observed_at = received_at.before(Duration::from_millis(30));
    NewReport { server, outbox: b"box", sequence, received_at, observed_at, payload }
}

impl Store {
    /// Does to the database what faults do, for tests of those who stand on it.
    pub(crate) async fn meddle(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&self.inner.writers).await.unwrap();
    }
}
