import { type ComponentType, lazy, useEffect, useState } from 'react'

/**
 * A component with a chunk of its own that its page can do without: where it cannot be loaded it is left out, so that a
 * server that went away takes nothing from the page, and nothing from what is being typed on it. The next time that it
 * is wanted it is asked for again.
 */
export function lazyExtra<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const attempt = () =>
    lazy<ComponentType<Props>>(() =>
      load().then(
        // main.tsx tells of a chunk that failed, and keeps Vite from throwing: nothing is what comes then.
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
