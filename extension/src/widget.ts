import { drawModel, type Model } from './viewDefinitions/draw';
import { PICTURES } from './viewDefinitions/pictures';
import { viewDefinitions } from './viewDefinitions/registry';

PICTURES.forEach(view => viewDefinitions.register(view));

/** Draw anywidget's model; return a function that stops this. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  return drawModel(model, el);
}

export default { render };
