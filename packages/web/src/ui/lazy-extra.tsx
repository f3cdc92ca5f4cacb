import { type ComponentType, lazy, useEffect, useState } from 'react'

/**
 * An optional component in its own chunk. It renders nothing if the chunk fails to load, so that the page and its unsaved
 * input survive a server outage. The chunk is requested again the next time the component is mounted.
 */
export function lazyExtra<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const attempt = () =>
    lazy<ComponentType<Props>>(() =>
      load().then(
        // After a failed chunk main.tsx keeps Vite from throwing, and the import resolves to undefined.
        (component: ComponentType<Props> | undefined) => ({ default: component ?? Missing }),
        () => ({ default: Missing }),
      ),
    )
  let current = attempt()

  function Missing() {
    useEffect(
      () => () => {
        current = attempt()
      },
      [],
    )
    return null
  }

  return function Extra(props: Props) {
    const [Part] = useState(() => current)
    return <Part {...props} />
  }
}

/** A component in its own chunk that can be preloaded. */
export type LazyPart<Props> = ComponentType<Props> & { readonly preload: () => void }

/**
 * Renders a loaded component together with its surroundings. `lazy` alone would show a fallback first, and React waits
 * 300 ms between fallbacks.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let ready: ComponentType<Props> | undefined
  const fetched = async () => {
    ready = await load()
    return { default: ready }
  }
  const Later = lazy(fetched)

  function Part(props: Props) {
    const [Loaded] = useState(() => ready ?? Later)
    return <Loaded {...props} />
  }
  return Object.assign(Part, { preload: () => void fetched().catch(() => undefined) })
}
