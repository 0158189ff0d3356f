import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import { copyText } from '../clipboard';
import type { CatalogValue } from '../contract';
import { rollbackCode, tableSql, viewCode } from '../copy';
import { paimonIcon } from '../icons';
import { beginMeasure } from '../measure';
import type { IPaimonSettings } from '../settings';
import type { ILakeSource } from '../source';
import { fullName, tableKey, tabLabels, type TableName } from '../state/names';
import { parseVersion, versionText } from '../state/version';
import { viewArguments } from '../commands/views';
import { viewDefinitions } from '../viewDefinitions/registry';
import type { DrawFigure } from '../views/stage';
import type { PageActions } from './context';
import { isKnownDamaged } from './damage';
import { PageModel } from './model';
import type { PageLocation } from './pageState';
import { PageWidget } from './widget';

type Page = MainAreaWidget<PageWidget>;

/** Windows that are so narrow that they show either the panel or a page, as at high zoom. */
const NARROW = '(max-width: 480px)';

/** The open table pages, at most one per table. */
export interface ITablePages {
  open(name: TableName, location: PageLocation): void;
  /** The model of the table page in front, if there is one. */
  readonly current: PageModel | null;
  find(name: TableName): PageModel | null;
}

export const ITablePages = new Token<ITablePages>(
  'paimon-workbench:ITablePages',
  'The pages of Paimon tables in the main area.'
);

interface Needs {
  readonly app: JupyterFrontEnd;
  readonly source: ILakeSource;
  readonly settings: IPaimonSettings;
  readonly trans: TranslationBundle;
  /** Called when it turns out that a table is damaged or no longer damaged. */
  markDamaged(name: TableName, isDamaged: boolean): void;
  catalog(name: string): Promise<CatalogValue>;
  readonly figure?: DrawFigure;
}

export class TablePages implements ITablePages {
  constructor(private readonly _needs: Needs) {
    // The event occurs once on the way to a narrow window: a side bar that is opened there stays open.
    this._narrow.addEventListener('change', () => {
      if (this.current) {
        this._makeRoom();
      }
    });
  }

  get current(): PageModel | null {
    const { currentWidget } = this._needs.app.shell;
    return this._tracker.find(page => page === currentWidget)
      ? (currentWidget as Page).content.props.model
      : null;
  }

  find(name: TableName): PageModel | null {
    return this._find(name)?.content.props.model ?? null;
  }

  open(name: TableName, location: PageLocation): void {
    beginMeasure('paimon:table-page');
    const { shell } = this._needs.app;
    this._makeRoom();
    const open = this._find(name);
    if (open) {
      open.content.props.model.go(location);
      shell.activateById(open.id);
      return;
    }
    const page = this._make(name, location);
    void this._tracker.add(page);
    shell.add(page, 'main');
    shell.activateById(page.id);
  }

  /** Restore the pages of the previous session, each at its version and tab. */
  async restore(restorer: ILayoutRestorer): Promise<void> {
    await restorer.restore(this._tracker, {
      command: 'paimon:open-table',
      args: page => {
        const { name, store } = page.content.props.model;
        const { version, tab, arguments: given } = store.state;
        return { ...name, version: versionText(version), tab, ...given };
      },
      name: page => tableKey(page.content.props.model.name)
    });
  }

  /** Collapse the side bar if there is no room for a page beside it. */
  private _makeRoom(): void {
    if (this._narrow.matches) {
      // Notebook 7 has no side bar to collapse.
      (this._needs.app.shell as { collapseLeft?(): void }).collapseLeft?.();
    }
  }

  private _find(name: TableName): Page | undefined {
    const key = tableKey(name);
    return this._tracker.find(
      page => tableKey(page.content.props.model.name) === key
    );
  }

  private _make(name: TableName, location: PageLocation): Page {
    const { app, source, settings, trans, figure } = this._needs;
    const first = { tab: settings.state.firstTab, ...location };
    const preferences = { follow: () => settings.state.follow };
    const model = new PageModel(name, source, preferences, first);
    const run = (command: string, args = {}) => {
      const version = versionText(model.store.state.version);
      void app.commands.execute(command, { ...name, version, ...args });
    };
    const copyView = async (view: (table: string) => string) => {
      const catalog = await this._needs.catalog(name.catalog);
      const { version } = model.store.state;
      copyText(viewCode(catalog, name, version, view), trans);
    };
    const insertView = async (view: (table: string) => string) => {
      const catalog = await this._needs.catalog(name.catalog);
      const { version } = model.store.state;
      run('paimon:insert-cell', {
        code: viewCode(catalog, name, version, view)
      });
    };
    const actions: PageActions = {
      insertCell: () => run('paimon:insert-cell'),
      copyPython: () => run('paimon:copy-python'),
      copyDefinition: () => run('paimon:copy-ddl'),
      insertTagCell: () => run('paimon:insert-tag-cell'),
      copyView: view => void copyView(view),
      insertView: view => void insertView(view),
      insertCode: code =>
        run('paimon:insert-cell', { code: code(tableSql(name)) }),
      copy: text => copyText(text, trans),
      rollbackCode: async snapshot =>
        rollbackCode(await this._needs.catalog(name.catalog), name, snapshot)
    };
    const bytes = () => settings.state.byteUnits;
    const content = new PageWidget({ model, trans, actions, bytes, figure });
    this._needs.catalog(name.catalog).then(
      ({ read_only: readOnly }) => model.store.update({ readOnly }),
      // The page itself reports a catalog that cannot be opened.
      () => model.store.update({ readOnly: false })
    );
    const page = new MainAreaWidget({ content });
    page.id = `paimon-workbench-page-${(this._made += 1)}`;
    page.title.label = name.table;
    page.title.caption = `${fullName(name)} (${name.catalog})`;
    page.title.icon = paimonIcon;
    this._labelTabs(name.table, page);
    page.disposed.connect(() => this._labelTabs(name.table));
    page.title.closable = true;
    page.toolbar.hide();
    model.store.subscribe(() => {
      void this._tracker.save(page);
      const isDamaged = isKnownDamaged(model.store.state);
      if (isDamaged !== null) {
        this._needs.markDamaged(name, isDamaged);
      }
    });
    return page;
  }

  /** Name the catalog in the tabs of tables that have the same name. */
  private _labelTabs(table: string, added?: Page): void {
    const pages: Page[] = added ? [added] : [];
    this._tracker.forEach(page => {
      if (!page.isDisposed && page !== added) {
        pages.push(page);
      }
    });
    const alike = pages.filter(
      ({ content }) => content.props.model.name.table === table
    );
    const names = tabLabels(
      alike.map(({ content }) => content.props.model.name)
    );
    alike.forEach((page, at) => {
      page.title.label = names[at];
    });
  }

  private readonly _narrow = window.matchMedia(NARROW);
  private readonly _tracker = new WidgetTracker<Page>({
    namespace: 'paimon-table'
  });
  private _made = 0;
}

/** Return the page location that the arguments of a command describe. */
export function locationOf(args: {
  readonly [key: string]: unknown;
}): PageLocation {
  const { version, tab } = args;
  return {
    ...(typeof version === 'string' && { version: parseVersion(version) }),
    ...(viewDefinitions.hasTab(tab) && { tab }),
    arguments: viewArguments(args)
  };
}
