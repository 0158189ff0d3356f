// jsdom has no canvas; pictures draw their elements without it.
HTMLCanvasElement.prototype.getContext = () => null;
