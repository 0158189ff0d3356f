import { useSyncExternalStore } from 'react';
import type { Store } from './state/store';

export function useStore<S>(store: Store<S>): S {
  return useSyncExternalStore(store.subscribe, store.read);
}
