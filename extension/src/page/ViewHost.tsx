import * as React from 'react';
import type { View, ViewHost as Host } from '../views/stage';

interface ViewHostProps<V, E> {
  readonly value: V;
  readonly zone: string | undefined;
  readonly words: Host<E>['words'];
  readonly read: Host<E>['read'];
  readonly figure: Host<E>['figure'];
  view(element: HTMLElement, host: Host<E>): View<V>;
  onEvent(event: E): void;
  /** Called when the picture of `value` has been added to the document. */
  onDrawn?(): void;
}

/** Mounts a view, which is independent of React, and passes its events to `onEvent`. */
export function ViewHost<V, E>(props: ViewHostProps<V, E>) {
  const { value, zone, words, read, figure } = props;
  const container = React.useRef<HTMLDivElement>(null);
  const view = React.useRef<View<V> | null>(null);
  const latest = React.useRef(props);
  latest.current = props;
  React.useLayoutEffect(() => {
    const element = document.createElement('div');
    container.current?.append(element);
    const emit = (event: E): void => latest.current.onEvent(event);
    view.current = latest.current.view(element, {
      emit,
      zone,
      words,
      read,
      figure
    });
    return () => {
      view.current?.dispose();
      element.remove();
    };
  }, [zone, words, read, figure]);
  React.useLayoutEffect(() => {
    view.current?.update(value);
    latest.current.onDrawn?.();
  }, [value, zone, words, read, figure]);
  return <div className="pw-view" ref={container} />;
}
