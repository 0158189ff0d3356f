import type { ErrorValue, LevelsValue, TimelineValue } from './contract';
import {
  exploreView,
  levelsView,
  timelineView,
  type ExploreValue,
  type View,
  type ViewHost
} from './views';
import { problem } from './views/explore_picture';

/** What the views need of anywidget's model. */
export interface Model {
  get(name: string): unknown;
  on(name: string, heard: () => void): void;
  off(name: string, heard: () => void): void;
  send(event: unknown): void;
}

const TRAITS = ['value', 'selected', 'error'];

/** Draw the model's value and follow its changes; returns what ends that. */
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
  // A view takes its zone when it is made.
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

function drawerOf(model: Model, el: HTMLElement): Drawer {
  const host: ViewHost<unknown> = {
    emit: event => model.send(event),
    zone: (model.get('zone') as string) || undefined
  };
  switch (model.get('kind')) {
    case 'levels':
      return drawing(
        levelsView(el, host),
        () => model.get('value') as LevelsValue | null
      );
    case 'timeline':
      return drawing(timelineView(el, host), () => {
        const timeline = model.get('value') as TimelineValue | null;
        const selected = (model.get('selected') as string | null) ?? null;
        return timeline && { timeline, selected };
      });
    case 'explore':
      return drawing(
        exploreView(el, host),
        () => model.get('value') as ExploreValue | null
      );
    default:
      throw new Error(`There is no view '${String(model.get('kind'))}'.`);
  }
}

/** A view that draws what there is to draw: no value may have come yet. */
function drawing<V>(view: View<V>, value: () => V | null): Drawer {
  return {
    draw: () => {
      const now = value();
      if (now) {
        view.update(now);
      }
    },
    dispose: () => view.dispose()
  };
}

export default { render };
