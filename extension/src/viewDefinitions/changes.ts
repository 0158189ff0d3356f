import type { DiffValue, EndValue, Int64 } from '../contract';
import { partOf, type Part, type ViewArguments } from '../page/parts';
import type { DiffEvent, DiffShown } from '../views/diff/model';
import { diffView } from '../views/diff/picture';
import { BIOGRAPHY, rowArguments } from './biography';
import type { ViewDefinition } from './definition';

export const CHANGES_NAME = 'changes';

const PART: Part<DiffValue> = {
  name: 'diff',
  perVersion: true,
  read: (read, { table, version, arguments: given }) =>
    read('diff', {
      ...table,
      ...version,
      before: given.changesFrom,
      after: given.changesTo,
      mode: given.changesMode ?? undefined
    })
};

/** Return the arguments with which the view compares two snapshots. */
export function comparedSnapshots(before: Int64, after: Int64): ViewArguments {
  return { changesFrom: `snapshot:${before}`, changesTo: `snapshot:${after}` };
}

function endOf({ ref }: EndValue): [string, string] {
  const at = ref.indexOf(':');
  return [ref.slice(0, at), ref.slice(at + 1)];
}

/** Return Python code that compares the same versions; `table` is the expression of any version of the table. */
function pythonOf(table: string, { before, after }: DiffValue): string {
  const ends = [endOf(before), endOf(after)];
  if (ends.every(([kind]) => kind !== 'branch')) {
    const versions = ends.map(([kind, name]) =>
      kind === 'tag' ? JSON.stringify(name) : name
    );
    return `wb.diff(${table}, ${versions.join(', ')})`;
  }
  const states = ends.map(([kind, name]) =>
    kind === 'branch'
      ? `${table}.branch(${JSON.stringify(name)})`
      : kind === 'tag'
        ? `${table}.at(tag=${JSON.stringify(name)})`
        : `${table}.at(snapshot=${name})`
  );
  return `wb.diff(${states.join(', ')})`;
}

/** Return the line magic that compares the same versions; `table` is its name in SQL. */
function magicOf(table: string, { before, after }: DiffValue): string {
  const ends = [endOf(before), endOf(after)];
  if (ends.every(([kind]) => kind !== 'branch')) {
    return `%paimon diff ${table}@${ends.map(([, name]) => name).join('..')}`;
  }
  const states = ends.map(([kind, name]) =>
    kind === 'branch' ? branchOf(table, name) : `${table}@${name}`
  );
  return `%paimon diff ${states.join('..')}`;
}

function branchOf(table: string, branch: string): string {
  return table.endsWith('`')
    ? `${table.slice(0, -1)}$branch_${branch}\``
    : `${table}$branch_${branch}`;
}

/** What changed between two versions. */
export const CHANGES: ViewDefinition<DiffShown, DiffEvent> = {
  name: CHANGES_NAME,
  picture: {
    draw: diffView,
    fromWidget: value =>
      value ? { diff: value as DiffValue, isChosen: false } : null,
    snapshotOf: value => (value as DiffValue).after.snapshot,
    // Only the kernel can read other rows.
    handleOffline: () => null
  },
  tab: {
    title: trans => trans.__('Changes'),
    part: PART as Part,
    python: (table, state) => {
      const { value } = partOf(state, PART);
      return value ? pythonOf(table, value) : `wb.diff(${table})`;
    },
    cell: (table, state) => {
      const { value } = partOf(state, PART);
      return value ? magicOf(table, value) : `%paimon diff ${table}`;
    },
    fromPageState: state => {
      const diff = partOf(state, PART).value;
      const { changesFrom, changesTo } = state.arguments;
      return diff && { diff, isChosen: Boolean(changesFrom ?? changesTo) };
    },
    onEvent: (event, model) => {
      if (event.kind === 'compare') {
        model.setArguments({
          changesFrom: event.before,
          changesTo: event.after
        });
      } else if (event.kind === 'source') {
        model.setArguments({ changesMode: event.mode });
      } else if (event.kind === 'show-row') {
        model.setArguments(rowArguments(event.key));
        model.showTab(BIOGRAPHY.name);
      }
    },
    arguments: {
      changesFrom: {
        type: ['string', 'null'],
        description: 'The first version, such as snapshot:3 or tag:v1.'
      },
      changesTo: {
        type: ['string', 'null'],
        description: 'The second version, such as snapshot:7.'
      },
      changesMode: {
        type: ['string', 'null'],
        description: 'Where rows come from: diff, delta, changelog or auto.'
      }
    }
  }
};
