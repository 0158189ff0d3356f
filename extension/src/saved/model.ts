import type { Model } from '../viewDefinitions/draw';
import { CLOSE_OPENED } from '../viewDefinitions/opened';
import type { Picture } from '../viewDefinitions/definition';
import type { Texts } from '../views/texts';
import type { SavedView } from './saved';

/** Sends an event of a picture to its widget in the kernel. */
export type Send = (event: unknown) => void;

type Traits = Record<string, unknown>;

/**
 * The model of a saved picture: it holds first the value in the notebook, then the value of the widget while the kernel
 * has one, and finally the last value of the widget.
 */
export class SavedModel implements Model {
  private readonly traits: Traits;
  private readonly listeners = new Map<string, Set<() => void>>();
  private others: readonly unknown[];
  private reduced: boolean;
  private live: Send | null = null;

  constructor(
    saved: SavedView,
    private readonly picture: Picture<unknown, unknown>,
    private readonly texts: Texts
  ) {
    const { kind, value, zone, selected } = saved;
    this.traits = { kind, value, zone, selected, error: null, notice: '' };
    this.traits.opened = null;
    this.others = saved.others;
    this.reduced = saved.reduced;
    this.notify(this.state('stillOf', 'still'));
  }

  get(name: string): unknown {
    return this.traits[name];
  }

  on(name: string, listener: () => void): void {
    this.listeners.set(
      name,
      (this.listeners.get(name) ?? new Set()).add(listener)
    );
  }

  off(name: string, listener: () => void): void {
    this.listeners.get(name)?.delete(listener);
  }

  send(event: unknown): void {
    if (this.live) {
      this.live(event);
      return;
    }
    if ((event as { kind?: unknown }).kind === CLOSE_OPENED) {
      this.change({ opened: null });
      return;
    }
    const { value, selected } = this.traits;
    const still = {
      value,
      selected: selected as string | null,
      others: this.others
    };
    const next = this.picture.handleOffline?.(still, event) ?? null;
    if (next === null) {
      this.notify(this.texts.format('stillNeedsKernel'));
      return;
    }
    this.others = next.others;
    this.change({ value: next.value, selected: next.selected });
    this.notify(this.state('stillOf', 'still'));
  }

  /** Go live: the kernel has the widget of this picture. */
  opened(send: Send): void {
    this.live = send;
    this.notify('');
  }

  /** Take the changed state of the widget. */
  changed(state: Traits): void {
    const { value } = state;
    if (value !== undefined && value !== null) {
      const { snapshotOf } = this.picture;
      if (snapshotOf?.(value) !== snapshotOf?.(this.traits.value)) {
        // The other values belong to the snapshot that is no longer shown.
        this.others = [];
      }
      this.reduced = false;
    }
    const known = Object.entries(state).filter(([name]) => name in this.traits);
    // A widget that could not read its table has no value; keep the saved one.
    this.change(
      Object.fromEntries(
        known.filter(([name, trait]) => name !== 'value' || trait !== null)
      )
    );
  }

  /** Stop being live: the kernel restarted or ended, or the widget was closed. */
  closed(restarted: boolean): void {
    if (this.live !== null) {
      this.live = null;
      this.notify(
        restarted
          ? this.state('restartedOf', 'restarted')
          : this.state('stillOf', 'still')
      );
    }
  }

  /** Return the notice for a picture that is not live. */
  private state(
    of: 'stillOf' | 'restartedOf',
    plain: 'still' | 'restarted'
  ): string {
    const id = this.picture.snapshotOf?.(this.traits.value) ?? null;
    const text =
      id === null ? this.texts.format(plain) : this.texts.format(of, { id });
    return this.reduced ? `${text} ${this.texts.format('stillReduced')}` : text;
  }

  private notify(notice: string): void {
    this.change({ notice });
  }

  private change(traits: Traits): void {
    const names = Object.keys(traits).filter(
      name => traits[name] !== this.traits[name]
    );
    Object.assign(this.traits, traits);
    names.forEach(name =>
      this.listeners.get(`change:${name}`)?.forEach(listener => listener())
    );
  }
}
