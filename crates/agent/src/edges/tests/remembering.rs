use super::stage::Stage;
use crate::edges::file;

#[tokio::test]
async fn a_file_that_cannot_be_used_stops_nothing() {
    let texts: [&[u8]; 3] = [b"\0\xff not JSON", b"{\"version\": 2, \"edges\": []}", b"{\"version\": 1}"];
    for text in texts {
        let mut stage = Stage::new().await;
        let _edges = [stage.edge(1, 0).await, stage.edge(2, 40).await];
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
    let _edges = [stage.edge(1, 40).await, stage.edge(2, 0).await];
    stage.dns(&[1, 2]);
    // Nobody may be root here: a directory in the file's place refuses everybody.
    std::fs::create_dir_all(file::path(stage.dir.path()).join("in-the-way")).unwrap();
    let agent = stage.agent();
    let seen = stage.session_by(0, 2).await;
    assert!(seen.len() > 3, "it was chosen all the same: {seen:?}");
    agent.stop().await;
    assert!(file::read(stage.dir.path()).is_err());
}
