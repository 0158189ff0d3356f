/** The part of React DOM that tests use; it comes with JupyterLab, its types do not. */
declare module 'react-dom/client' {
  import type { ReactElement } from 'react';

  export function createRoot(container: Element): {
    render(element: ReactElement): void;
    unmount(): void;
  };
}
