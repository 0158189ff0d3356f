import type { ErrorValue } from './contract';
import { PICTURES } from './viewDefinitions/pictures';
import { viewDefinitions } from './viewDefinitions/registry';
import { problem } from './views/explore_picture';

PICTURES.forEach(view => viewDefinitions.register(view));

/** The members of anywidget's model that a widget uses. */
export interface Model {
  get(name: string): unknown;
  on(name: string, heard: () => void): void;
  off(name: string, heard: () => void): void;
  send(event: unknown): void;
}

const TRAITS = ['value', 'selected', 'error'];

/** Draw the model's value and follow its changes; returns a function that ends this. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const message = el.ownerDocument.createElement('div');
  const picture = el.ownerDocument.createElement('div');
  el.append(message, picture);
  let drawer = drawerOf(model, picture);
  const draw = (): void => {
    const error = model.get('error') as ErrorValue | null | undefined;
    message.className = error ? 'pwv' : '';
    message.innerHTML = error ? problem(error).text : '';
    drawer.draw();
  };
  // A view has its time zone for its lifetime.
  const renew = (): void => {
    drawer.dispose();
    drawer = drawerOf(model, picture);
    draw();
  };
  const names = TRAITS.map(name => `change:${name}`);
  names.forEach(name => model.on(name, draw));
  model.on('change:zone', renew);
  draw();
  return () => {
    names.forEach(name => model.off(name, draw));
    model.off('change:zone', renew);
    drawer.dispose();
  };
}

interface Drawer {
  draw(): void;
  dispose(): void;
}

function drawerOf(model: Model, element: HTMLElement): Drawer {
  const name = String(model.get('kind'));
  const picture = viewDefinitions.get(name)?.picture;
  if (!picture) {
    throw new Error(`There is no view '${name}'.`);
  }
  const view = picture.draw(element, {
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

export default { render };
