import type { ViewHost } from '../../src/views/stage';
import type {
  BucketTotalsValue,
  FileValue,
  LevelsValue,
  RunValue,
  SnapshotValue,
  TimelineValue
} from '../../src/contract';

/** A file with the facts that a test cares about. */
export function file(name: string, facts: Partial<FileValue> = {}): FileValue {
  return {
    name,
    level: 0,
    rows: '10',
    size: '2048',
    deletes: '0',
    min_key: '1',
    max_key: '9',
    start: 0,
    end: 1,
    min_sequence: '0',
    max_sequence: '9',
    time_millis: '1795280000000',
    ...facts
  };
}

export function run(level: number, ...files: FileValue[]): RunValue {
  return { level, files: files.map(item => ({ ...item, level })) };
}

/** Levels of one bucket, with the totals of its runs. */
export function levels(
  runs: RunValue[],
  facts: Partial<LevelsValue> = {}
): LevelsValue {
  return {
    table: 'shop.orders',
    snapshot: '12',
    keys: ['id'],
    buckets: [bucket(':0', '', 0, { runs: runs.length })],
    total: 1,
    next: null,
    bucket: {
      id: ':0',
      partition: '',
      bucket: 0,
      to_scale: true,
      runs,
      merged_runs: 1
    },
    thresholds: {
      compaction_runs: 5,
      stop_runs: 8,
      small_file: '1000',
      small_files: 5,
      target_file: '1000000',
      deleted_share: 0.2
    },
    ...facts
  };
}

export function bucket(
  id: string,
  partition: string,
  number: number,
  facts: Partial<BucketTotalsValue> = {}
): BucketTotalsValue {
  return {
    id,
    partition,
    bucket: number,
    runs: 1,
    files: 1,
    rows: '10',
    deletes: '0',
    size: '2048',
    levels: [],
    ...facts
  };
}

export function snapshot(
  id: string,
  facts: Partial<SnapshotValue> = {}
): SnapshotValue {
  return {
    id,
    kind: 'APPEND',
    time_millis: String(1795280000000 + Number(id) * 60000),
    rows_added: '10',
    rows_total: '100',
    changelog_rows: null,
    schema_id: '0',
    user: 'a user',
    operation: '',
    reason: '',
    statement: '',
    writer: '',
    tags: [],
    figures: {
      text: '10 upserts, 0 deletes; 1 file added.',
      upserts: '10',
      deletes: '0',
      superseded: '0',
      rows_added: '10',
      rows_removed: '0',
      files_added: 1,
      files_removed: 0,
      files_moved: 0,
      bytes_added: '2048',
      bytes_removed: '0',
      partitions: 1,
      buckets: 1
    },
    reason_details: [],
    ...facts
  };
}

/** A timeline of snapshots that are given oldest first. */
export function timeline(
  snapshots: SnapshotValue[],
  facts: Partial<TimelineValue> = {}
): TimelineValue {
  return {
    table: 'shop.orders',
    zone: 'UTC',
    snapshots: [...snapshots].reverse(),
    tags: [],
    total: snapshots.length,
    next: null,
    kind: 'primary-key',
    whole: null,
    listed: null,
    ...facts
  };
}

/** A view in the document, with the events that it emitted. */
export function stage<V, E>(
  view: (
    element: HTMLElement,
    host: ViewHost<E>
  ) => { update(value: V): void; dispose(): void },
  given: Omit<ViewHost<E>, 'emit'> = {}
): {
  root: HTMLElement;
  events: E[];
  update(value: V): void;
  dispose(): void;
} {
  document.body.innerHTML = '';
  const root = document.createElement('div');
  document.body.append(root);
  const events: E[] = [];
  const shown = view(root, {
    ...given,
    emit: event => events.push(event)
  });
  return {
    root,
    events,
    update: value => shown.update(value),
    dispose: () => shown.dispose()
  };
}

export function press(key: string, more: KeyboardEventInit = {}): void {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, ...more })
  );
}

export function focusedLabel(): string {
  return document.activeElement?.getAttribute('aria-label') ?? '';
}

/** Open the table below a picture and read its rows. */
export function tableRows(root: HTMLElement, caption: string): string[][] {
  const details = root.querySelector('details');
  if (details && !details.open) {
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
  }
  const table = [...root.querySelectorAll('table')].find(
    item => item.caption?.textContent?.trim() === caption
  );
  return [...(table?.tBodies[0].rows ?? [])].map(row =>
    [...row.cells].map(cell => (cell.textContent ?? '').trim())
  );
}
