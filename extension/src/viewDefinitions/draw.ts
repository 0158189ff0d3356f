import type { ErrorValue } from '../contract';
import { html } from '../views/markup';
import { problem } from '../views/problem';
import type { ViewHost } from '../views/stage';
import { Texts } from '../views/texts';
import { CLOSE_OPENED, OpenedModel, openedOf } from './opened';
import { viewDefinitions } from './registry';

/** The model that a picture draws: the members of anywidget's model that are used here. */
export interface Model {
  get(name: string): unknown;
  on(name: string, listener: () => void): void;
  off(name: string, listener: () => void): void;
  send(event: unknown): void;
}

/** What the surroundings of a picture provide. */
export type HostServices = Pick<ViewHost<unknown>, 'words' | 'figure'>;

const TRAITS = ['value', 'selected', 'error', 'notice'];

/** Draw the model's value and follow its changes; return a function that stops this. */
export function drawModel(
  model: Model,
  element: HTMLElement,
  surroundings: HostServices = {}
): () => void {
  const message = element.ownerDocument.createElement('div');
  const picture = element.ownerDocument.createElement('div');
  const below = element.ownerDocument.createElement('div');
  element.append(message, picture, below);
  let drawer = drawerOf(model, picture, surroundings);
  const draw = (): void => {
    drawMessage(message, model);
    drawer.draw();
  };
  // A view keeps its time zone, so a change of the zone needs a new view.
  const renew = (): void => {
    drawer.dispose();
    drawer = drawerOf(model, picture, surroundings);
    draw();
  };
  const names = TRAITS.map(name => `change:${name}`);
  names.forEach(name => model.on(name, draw));
  model.on('change:zone', renew);
  draw();
  const endOpened = drawOpened(model, below, picture, surroundings);
  return () => {
    endOpened();
    names.forEach(name => model.off(name, draw));
    model.off('change:zone', renew);
    drawer.dispose();
  };
}

/** Draw the view that a picture has opened below it; return a function that stops this. */
function drawOpened(
  model: Model,
  element: HTMLElement,
  picture: HTMLElement,
  surroundings: HostServices
): () => void {
  let drawn: { readonly model: OpenedModel; end(): void } | null = null;
  const close = (): void => {
    drawn?.end();
    drawn = null;
    element.replaceChildren();
    element.className = '';
  };
  // Move the focus only to a view that the reader has just opened, not to one that was already open at the start.
  let isFirst = true;
  const draw = (): void => {
    const state = openedOf(model);
    if (state === null) {
      if (drawn !== null) {
        close();
        picture
          .querySelector<HTMLElement>('[data-focus][tabindex="0"]')
          ?.focus();
      }
      return;
    }
    if (drawn?.model.kind === state.kind) {
      drawn.model.update(state);
      return;
    }
    close();
    const opened = new OpenedModel(model, state);
    element.className = 'pwv pwv-opened';
    element.innerHTML = html`<button type="button" class="pwv-close">
        ${words(surroundings).format('closeOpened')}
      </button>
      <div></div>`.text;
    const [button, content] = Array.from(element.children) as HTMLElement[];
    button.addEventListener('click', () => model.send({ kind: CLOSE_OPENED }));
    drawn = { model: opened, end: drawModel(opened, content, surroundings) };
    if (!isFirst) {
      button.focus({ preventScroll: true });
      element.scrollIntoView?.({ block: 'nearest' });
    }
  };
  model.on('change:opened', draw);
  draw();
  isFirst = false;
  return () => {
    model.off('change:opened', draw);
    close();
  };
}

function words(surroundings: HostServices): Texts {
  return new Texts(surroundings.words);
}

/** Show the error of the last read, and whether the picture is live. */
function drawMessage(element: HTMLElement, model: Model): void {
  const error = model.get('error') as ErrorValue | null | undefined;
  const notice = model.get('notice') as string | undefined;
  const { text } = html`${
    notice && html`<p class="pwv-notice" role="status">${notice}</p>`
  }${error && problem(error)}`;
  element.className = text ? 'pwv' : '';
  if (element.dataset.drawn !== text) {
    element.innerHTML = text;
    element.dataset.drawn = text;
  }
}

interface Drawer {
  draw(): void;
  dispose(): void;
}

function drawerOf(
  model: Model,
  element: HTMLElement,
  surroundings: HostServices
): Drawer {
  const name = String(model.get('kind'));
  const picture = viewDefinitions.get(name)?.picture;
  if (!picture) {
    throw new Error(`There is no view '${name}'.`);
  }
  const view = picture.draw(element, {
    ...surroundings,
    emit: event => model.send(event),
    zone: (model.get('zone') as string) || undefined
  });
  return {
    draw: () => {
      const selected = (model.get('selected') as string | null) ?? null;
      const value = picture.fromWidget(model.get('value') ?? null, selected);
      // No value may have arrived yet.
      if (value !== null) {
        view.update(value);
      }
    },
    dispose: () => view.dispose()
  };
}
