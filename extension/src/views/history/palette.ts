/** The CSS variables of the colors that are needed on a canvas. */
const NAMES = {
  text: '--pwv-text',
  l0: '--pwv-l0',
  l0Line: '--pwv-l0-line',
  middle: '--pwv-middle',
  middleLine: '--pwv-middle-line',
  last: '--pwv-last',
  lastLine: '--pwv-last-line',
  dim: '--pwv-dim',
  border: '--pwv-border',
  faint: '--pwv-faint',
  heat: '--pwv-last-line',
  append: '--pwv-l0-line',
  compact: '--pwv-last-line',
  overwrite: '--pwv-middle-line',
  analyze: '--pwv-dim'
};

export type Color = keyof typeof NAMES;

/**
 * The theme's colors in a form that a canvas accepts: the browser computes them, again after each change of the theme.
 */
export class Palette {
  private readonly probe: HTMLElement;
  private readonly watcher: MutationObserver;
  private colors: Partial<Record<Color, string>> = {};

  constructor(root: HTMLElement, changed: () => void) {
    const document = root.ownerDocument;
    this.probe = document.createElement('span');
    this.probe.hidden = true;
    root.append(this.probe);
    this.watcher = new MutationObserver(() => {
      this.colors = {};
      changed();
    });
    for (const element of [document.documentElement, document.body]) {
      this.watcher.observe(element, { attributes: true });
    }
  }

  color(name: Color): string {
    // Outside of the document, as in a widget that is being created, there is no theme yet.
    return this.probe.isConnected
      ? (this.colors[name] ??= this.computed(name))
      : 'transparent';
  }

  ofLane(kind: string): string {
    const name = kind.toLowerCase();
    return this.color(name in NAMES ? (name as Color) : 'dim');
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  private computed(name: Color): string {
    this.probe.style.color = `var(${NAMES[name]})`;
    return getComputedStyle(this.probe).color;
  }
}
