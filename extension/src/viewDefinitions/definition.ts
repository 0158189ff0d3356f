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

/** What a picture shows without a kernel, and the values that a reader may choose instead. */
export interface Still {
  readonly value: unknown;
  readonly selected: string | null;
  readonly others: readonly unknown[];
}

/** How a view is drawn, in table pages and in notebook widgets: no JupyterLab here. */
export interface Picture<V, E> {
  draw(element: HTMLElement, host: ViewHost<E>): View<V>;
  /** Return what is drawn of a widget's traits, null as long as no value arrived. */
  ofWidget(value: unknown, selected: string | null): V | null;
  /** Return the snapshot of a widget's value, null if it is not of a single one. */
  snapshotOf?(value: unknown): Int64 | null;
  /** Return what is shown after an event; null if only the kernel can answer it. */
  offline?(still: Still, event: E): Still | null;
}

/** The tab of a view in table pages. Without a `Pane`, it shows the picture. */
export interface Tab<V, E> {
  /** The title for a table in general, or for the table of a page. */
  title(trans: TranslationBundle, state?: PageState): string;
  readonly part: Part;
  /** Further parts, which the tab also reads but does not wait for. */
  readonly others?: readonly Part[];
  /** Parts that the tab reads only when it turns out to need them. */
  readonly onDemand?: readonly Part[];
  readonly Pane?: ComponentType<PageProps>;
  /** Whether the picture itself shows why its part could not be read; damaged files are always reported. */
  readonly showsErrors?: boolean;
  /** Return what the picture draws, null as long as it was not read. */
  ofPage?(state: PageState): V | null;
  onEvent?(event: E, model: PageModel, actions: PageActions): void;
  /** Whether the code can be written yet; by default it always can. */
  hasCode?(state: PageState): boolean;
  /** Return the code that shows this tab's view of a table: `table` is the expression of the version that the page shows. */
  python?(table: string, state: PageState): string;
  /** Return the lines of a notebook cell that shows this tab's view; `table` is the name in SQL. */
  cell?(table: string, state: PageState): string;
  /** Whether the tab is listed only while it is open, as one that needs a row or a query. */
  readonly listedWhenOpen?: boolean;
  /** The arguments that the part is read with, as JSON schemas. */
  readonly arguments?: ReadonlyJSONObject;
  /** Whether the page opens with this tab to show what a write did, and moves through each snapshot in it. */
  readonly showsWrites?: boolean;
  /** Return the runs that a compaction merged between two values of the page. */
  merged?(before: PartStates, now: PartStates): Merge | null;
}

/** One view: its name, and how notebooks and table pages show it. */
export interface ViewDefinition<V = unknown, E = unknown> {
  /** The name in commands, in saved layouts and in the `kind` trait of widgets. */
  readonly name: string;
  readonly picture?: Picture<V, E>;
  readonly tab?: Tab<V, E>;
}

/** A view that table pages show in a tab. */
export type TabView = ViewDefinition & Required<Pick<ViewDefinition, 'tab'>>;

/** The registry that tabs, commands, page models and widgets are made from. */
export class ViewDefinitions {
  /** Add a view. Throws if another one has its name. */
  register(definition: ViewDefinition): void {
    const { name } = definition;
    if ((this._byName.get(name) ?? definition) !== definition) {
      throw new Error(`There is already a view '${name}'.`);
    }
    this._byName.set(name, definition);
  }

  /** Remove a view, such as that of an extension that is disabled. */
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

  /** Return the view of a tab; the first tab's if there is none of that name. */
  tab(name: string): TabView {
    const { tabs } = this;
    return tabs.find(view => view.name === name) ?? tabs[0];
  }

  private readonly _byName = new Map<string, ViewDefinition>();
}

function isTabView(view: ViewDefinition): view is TabView {
  return view.tab !== undefined;
}
