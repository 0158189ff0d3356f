import type { ErrorValue } from '../contract';
import { html } from '../views/markup';
import { problem } from '../views/problem';
import type { ViewHost } from '../views/stage';
import { Texts } from '../views/texts';
import { CLOSE_OPENED, OpenedModel, openedOf } from './opened';
import { viewDefinitions } from './registry';

/** What a picture is drawn of: the members of anywidget's model that it uses. */
export interface Model {
  get(name: string): unknown;
  on(name: string, heard: () => void): void;
  off(name: string, heard: () => void): void;
  send(event: unknown): void;
}

/** What the place of a picture gives to it. */
export type Surroundings = Pick<ViewHost<unknown>, 'words' | 'figure'>;

const TRAITS = ['value', 'selected', 'error', 'notice'];

/** Draw the model's value and follow its changes; returns a function that ends this. */
export function drawModel(
  model: Model,
  element: HTMLElement,
  surroundings: Surroundings = {}
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
  // A view has its time zone for its lifetime.
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

/** Draw the view that a picture has opened, below it; returns a function that ends this. */
function drawOpened(
  model: Model,
  element: HTMLElement,
  picture: HTMLElement,
  surroundings: Surroundings
): () => void {
  let drawn: { readonly model: OpenedModel; end(): void } | null = null;
  const close = (): void => {
    drawn?.end();
    drawn = null;
    element.replaceChildren();
    element.className = '';
  };
  // The focus moves to what the reader has just opened, not to what was there when the picture appeared.
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
        ${words(surroundings).say('closeOpened')}
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

function words(surroundings: Surroundings): Texts {
  return new Texts(surroundings.words);
}

/** Show the error of the last reading, and whether the picture is live. */
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
  surroundings: Surroundings
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
      const value = picture.ofWidget(model.get('value') ?? null, selected);
      // No value may have arrived yet.
      if (value !== null) {
        view.update(value);
      }
    },
    dispose: () => view.dispose()
  };
}
