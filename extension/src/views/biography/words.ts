/** The English texts of biographies. */
export const BIOGRAPHY_WORDS = {
  biographyTitle: 'Biography of a row of {table}',
  biographyOf:
    'Life of the row: {n} stored version|Life of the row: {n} stored versions',
  biographyLife: 'Versions of the row by commit and level',
  biographyCommits: 'Commits that changed where the row is stored',
  biographyReading:
    'Older commits are being read, down to snapshot {id} so far.',
  biographyDisagrees:
    'This explanation differs from what a read returns. Please report it with the table.',
  biographyUnread:
    '{n} older file cannot be read: {files}|{n} older files cannot be read: {files}',
  biographyShow: 'Show row',
  biographyKey: 'Key of the row',
  biographyWhere: 'Condition',
  biographyAskKey:
    'Enter the primary key of a row to see its stored versions. A row of the Data tab opens here with Enter or a double click, a row of the Changes tab with its button.',
  biographyAskWhere:
    'Enter a condition that exactly one row satisfies to see its stored versions.',
  biographyNoIdentity:
    'Rows of this table have no identity: it has no primary key and does not track its rows. To see the life of rows, create it with a primary key or with the option row-tracking.enabled = true.',
  biographyHint:
    'Point at a version or a commit for details. A column below shows the versions that its value comes from.',
  biographyFields: 'Where each value comes from',
  biographyVersions: 'Versions',
  biographyCommitsTitle: 'Commits',
  biographyChangelog: 'Changelog',
  biographyWritten: 'written',
  biographyCompacted: 'made by a compaction',
  biographyUnknown: 'of unknown origin',
  biographyStateRead: 'merged by reads',
  biographyStateSkipped: 'contained in a newer level, so reads skip it',
  biographyStateHidden: 'not read before it is compacted',
  biographyStateMarked: 'marked as deleted',
  biographyStateGone: 'in the past: its file was replaced or removed',
  biographyBead:
    'version {id}, {kind}, {source}, {commit}, level {level}: {state}',
  biographyByExpired: 'by a commit that has expired',
  biographyBySnapshot: 'by snapshot {id}',
  biographyCommitName: 'snapshot {id}, {kind}, {time}. {text}',
  biographyWonBy: 'Read from',
  biographyOrigin: 'Written by',
  biographyRule: 'Rule',
  biographyWhy: 'Why',
  biographyColumn: 'Column',
  biographyValue: 'Value',
  biographyVersion: 'Version',
  biographyGoTo: 'Show version {id}',
  biographySource: 'Stored',
  biographyState: 'State',
  biographyMergedFrom: 'Merged from',
  biographyLookedUp: 'Looked up',
  biographyMergedInto: 'Merged into',
  biographyMarkedBy: 'Marked by snapshot',
  biographyDroppedBy: 'Dropped by snapshot',
  biographyLevels: 'Levels',
  biographyFile: 'File',
  biographyPosition: 'Position in the file',
  biographyCell: 'Notebook cell',
  biographyDid: 'What it did',
  biographyAbsent: 'not in the file',
  biographySequence: 'Sequence number',
  biographyLegendWrite: 'round: written',
  biographyLegendCompaction: 'square: made by a compaction',
  biographyLegendFlow: 'dashed: what a compaction merged',
  biographyLegendMark: '✕: marked as deleted',
  biographyLegendKinds:
    '+I inserted, -U before an update, +U updated, -D deleted',
  biographyLater: 'now'
};
