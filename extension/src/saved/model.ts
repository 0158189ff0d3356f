import type { Model } from '../viewDefinitions/draw';
import { CLOSE_OPENED } from '../viewDefinitions/opened';
import type { Picture } from '../viewDefinitions/definition';
import type { Texts } from '../views/texts';
import type { SavedView } from './saved';

/** Sends an event of a picture to its widget in the kernel. */
export type Send = (event: unknown) => void;

type Traits = Record<string, unknown>;

/**
 * What a saved picture draws: first the value in the notebook, then that of its
 * widget while the kernel has one, and after that the last value of the widget.
 */
export class SavedModel implements Model {
  private readonly traits: Traits;
  private readonly heard = new Map<string, Set<() => void>>();
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

  on(name: string, heard: () => void): void {
    this.heard.set(name, (this.heard.get(name) ?? new Set()).add(heard));
  }

  off(name: string, heard: () => void): void {
    this.heard.get(name)?.delete(heard);
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
    const next = this.picture.offline?.(still, event) ?? null;
    if (next === null) {
      this.notify(this.texts.say('stillNeedsKernel'));
      return;
    }
    this.others = next.others;
    this.change({ value: next.value, selected: next.selected });
    this.notify(this.state('stillOf', 'still'));
  }

  /** The kernel has the widget of this picture. */
  opened(send: Send): void {
    this.live = send;
    this.notify('');
  }

  /** The widget's state changed. */
  changed(state: Traits): void {
    const { value } = state;
    if (value !== undefined && value !== null) {
      const { snapshotOf } = this.picture;
      if (snapshotOf?.(value) !== snapshotOf?.(this.traits.value)) {
        // They belong to the snapshot that is no longer shown.
        this.others = [];
      }
      this.reduced = false;
    }
    const known = Object.entries(state).filter(([name]) => name in this.traits);
    // A widget that could not read its table yet has no value; the saved one is better.
    this.change(
      Object.fromEntries(
        known.filter(([name, trait]) => name !== 'value' || trait !== null)
      )
    );
  }

  /** The kernel restarted or ended, or closed the widget. */
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

  /** Return what the reader must know about a picture that is not live. */
  private state(
    of: 'stillOf' | 'restartedOf',
    plain: 'still' | 'restarted'
  ): string {
    const id = this.picture.snapshotOf?.(this.traits.value) ?? null;
    const text =
      id === null ? this.texts.say(plain) : this.texts.say(of, { id });
    return this.reduced ? `${text} ${this.texts.say('stillReduced')}` : text;
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
      this.heard.get(`change:${name}`)?.forEach(heard => heard())
    );
  }
}
