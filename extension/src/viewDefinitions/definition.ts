import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { ComponentType } from 'react';
import type { PageActions, PageProps } from '../page/context';
import type { PageModel } from '../page/model';
import type { PageState } from '../page/pageState';
import type { Int64 } from '../contract';
import type { Part, PartStates } from '../page/parts';
import type { Merge } from '../page/story';
import type { View, ViewHost } from '../views/stage';

/** The state of a picture without a kernel, and the values that a reader can switch to. */
export interface OfflineState {
  readonly value: unknown;
  readonly selected: string | null;
  readonly others: readonly unknown[];
}

/** The drawing of a view in table pages and in notebook widgets; it does not depend on JupyterLab. */
export interface Picture<V, E> {
  draw(element: HTMLElement, host: ViewHost<E>): View<V>;
  /** Return the value to draw for a widget's traits, or null while no value has arrived. */
  fromWidget(value: unknown, selected: string | null): V | null;
  /** Return the snapshot of a widget's value, or null if the value does not belong to a single snapshot. */
  snapshotOf?(value: unknown): Int64 | null;
  /** Return the state after an event, or null if only the kernel can handle the event. */
  handleOffline?(still: OfflineState, event: E): OfflineState | null;
}

/** The tab of a view in table pages. If there is no `Pane`, the tab shows the picture. */
export interface Tab<V, E> {
  /** Return the title, either in general or for the table of a page. */
  title(trans: TranslationBundle, state?: PageState): string;
  readonly part: Part;
  /** Other parts that the tab reads but does not wait for. */
  readonly others?: readonly Part[];
  /** Parts that the tab reads only if it turns out to need them. */
  readonly onDemand?: readonly Part[];
  readonly Pane?: ComponentType<PageProps>;
  /** Whether the picture itself shows why its part could not be read; the page always reports damaged files. */
  readonly showsErrors?: boolean;
  /** Return the value to draw, or null while it has not been read. */
  fromPageState?(state: PageState): V | null;
  onEvent?(event: E, model: PageModel, actions: PageActions): void;
  /** Return whether the code can be generated yet; by default, it always can. */
  hasCode?(state: PageState): boolean;
  /** Return Python code that shows this tab's view; `table` is the expression of the version that the page shows. */
  python?(table: string, state: PageState): string;
  /** Return the lines of a notebook cell that shows this tab's view; `table` is its name in SQL. */
  cell?(table: string, state: PageState): string;
  /** Whether the tab is listed only while it is open, for views that need a row or a query. */
  readonly listedWhenOpen?: boolean;
  /** The arguments with which the part is read, as JSON schemas. */
  readonly arguments?: ReadonlyJSONObject;
  /** Whether the page opens this tab to show what a write did; it then moves through each new snapshot in this tab. */
  readonly showsWrites?: boolean;
  /** Return the runs that a compaction merged between two values of the page. */
  merged?(before: PartStates, now: PartStates): Merge | null;
}

/** A view: its name, and how notebooks and table pages show it. */
export interface ViewDefinition<V = unknown, E = unknown> {
  /** The name used in commands, in saved layouts and in the `kind` trait of widgets. */
  readonly name: string;
  readonly picture?: Picture<V, E>;
  readonly tab?: Tab<V, E>;
}

/** A view that has a tab in table pages. */
export type TabView = ViewDefinition & Required<Pick<ViewDefinition, 'tab'>>;

/** The registry of views, from which tabs, commands, page models and widgets are created. */
export class ViewDefinitions {
  /** Add a view. Throws if a different view has the same name. */
  register(definition: ViewDefinition): void {
    const { name } = definition;
    if ((this._byName.get(name) ?? definition) !== definition) {
      throw new Error(`There is already a view '${name}'.`);
    }
    this._byName.set(name, definition);
  }

  /** Remove a view, for example when the extension that added it is disabled. */
  unregister(name: string): void {
    this._byName.delete(name);
  }

  get(name: string): ViewDefinition | null {
    return this._byName.get(name) ?? null;
  }

  /** All views with a tab, in the order of registration. */
  get tabs(): readonly TabView[] {
    return [...this._byName.values()].filter(isTabView);
  }

  /** The name of the first tab. */
  get firstTab(): string {
    return this.tabs[0].name;
  }

  hasTab(name: unknown): name is string {
    return this.tabs.some(view => view.name === name);
  }

  /** Return the view of a tab, or the first tab if there is no tab with that name. */
  tab(name: string): TabView {
    const { tabs } = this;
    return tabs.find(view => view.name === name) ?? tabs[0];
  }

  private readonly _byName = new Map<string, ViewDefinition>();
}

function isTabView(view: ViewDefinition): view is TabView {
  return view.tab !== undefined;
}
