"""Reading the files of snapshots."""
