import type { Model } from './draw';

/** The event that closes the view below a picture. */
export const CLOSE_OPENED = 'close-opened';

/** The state of a view that a picture has opened below itself, as a trait of the picture's model. */
export type Opened = Readonly<Record<string, unknown>> & {
  readonly kind: string;
};

export function openedOf(picture: Model): Opened | null {
  return (picture.get('opened') as Opened | null | undefined) ?? null;
}

/** The model of a view that a picture has opened; its events pass through the model of the picture. */
export class OpenedModel implements Model {
  private readonly heard = new Map<string, Set<() => void>>();

  constructor(
    private readonly picture: Model,
    private state: Opened
  ) {}

  get kind(): string {
    return this.state.kind;
  }

  get(name: string): unknown {
    return this.state[name] ?? null;
  }

  on(name: string, heard: () => void): void {
    this.heard.set(name, (this.heard.get(name) ?? new Set()).add(heard));
  }

  off(name: string, heard: () => void): void {
    this.heard.get(name)?.delete(heard);
  }

  send(event: unknown): void {
    this.picture.send({ kind: 'opened', event });
  }

  /** Take the state that follows, and report what differs. */
  update(state: Opened): void {
    const before = this.state;
    this.state = state;
    for (const [name, heard] of this.heard) {
      const trait = name.replace('change:', '');
      // The values of a message are parsed anew, and equal ones need no drawing.
      if (JSON.stringify(before[trait]) !== JSON.stringify(state[trait])) {
        heard.forEach(each => each());
      }
    }
  }
}
