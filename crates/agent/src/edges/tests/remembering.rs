use quorate_core::edge::{Chooser, Memory, Resolution, Timing};
use quorate_core::time::Moment;

use super::stage::Stage;
use crate::edges::file;
use crate::edges::scribe::{Faults, Scribe, remembered};

#[tokio::test]
async fn a_file_that_cannot_be_used_stops_nothing() {
    let texts: [&[u8]; 3] = [b"\0\xff not JSON", b"{\"version\": 2, \"edges\": []}", b"{\"version\": 1}"];
    for text in texts {
        let mut stage = Stage::new().await;
        let _edges = [stage.edge(1, 0).await, stage.edge(2, 150).await];
        stage.dns(&[1, 2]);
        std::fs::write(file::path(stage.dir.path()), text).unwrap();
        let agent = stage.agent();
        stage.session_by(0, 1).await;
        agent.stop().await;
        // Written anew.
        let kept = file::read(stage.dir.path()).unwrap().unwrap();
        assert_eq!(kept.memory.addresses.len(), 2);
    }
}

#[tokio::test]
async fn a_file_that_can_be_neither_read_nor_written_stops_nothing() {
    let mut stage = Stage::new().await;
    let _edges = [stage.edge(1, 150).await, stage.edge(2, 0).await];
    stage.dns(&[1, 2]);
    // Nobody may be root here: a directory in the file's place refuses everybody.
    std::fs::create_dir_all(file::path(stage.dir.path()).join("in-the-way")).unwrap();
    let agent = stage.agent();
    let seen = stage.session_by(0, 2).await;
    assert!(seen.len() > 3, "it was chosen all the same: {seen:?}");
    agent.stop().await;
    assert!(file::read(stage.dir.path()).is_err());
}

#[tokio::test]
async fn what_cannot_be_used_or_written_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    assert_eq!(remembered(dir.path(), "g:1", &faults), Memory::default());
    assert_eq!(faults.count(), 0, "the first start of all is no fault");
    std::fs::write(file::path(dir.path()), "{").unwrap();
    assert_eq!(remembered(dir.path(), "g:1", &faults), Memory::default());
    assert_eq!(faults.count(), 1);

    let mut chooser = Chooser::new(&Memory::default(), Timing::default(), 0, Moment::ZERO, Moment::ZERO);
    chooser.handle_resolved(Resolution::Addresses(vec!["192.0.2.1".parse().unwrap()]), Moment::ZERO);
    let scribe = Scribe::new(&dir.path().join("not-there"), "g:1", 1, faults.clone());
    scribe.keep(&mut chooser);
    scribe.close().await;
    assert_eq!(faults.count(), 2);
}

#[tokio::test]
async fn what_is_remembered_of_one_gateway_is_not_held_to_be_true_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let mut chooser = Chooser::new(&Memory::default(), Timing::default(), 0, Moment::ZERO, Moment::ZERO);
    chooser.handle_resolved(Resolution::Addresses(vec!["192.0.2.1".parse().unwrap()]), Moment::ZERO);
    let scribe = Scribe::new(dir.path(), "old.example:1", 1, faults.clone());
    scribe.keep(&mut chooser);
    scribe.close().await;
    assert_eq!(remembered(dir.path(), "old.example:1", &faults).addresses.len(), 1);
    assert_eq!(remembered(dir.path(), "new.example:1", &faults), Memory::default());
    assert_eq!(faults.count(), 0);
}
