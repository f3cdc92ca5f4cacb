import { type ComponentType, lazy } from 'react'

/**
 * A component with a chunk of its own that its page can do without: where it cannot be loaded it is left out, so that a
 * server that went away takes nothing from the page, and nothing from what is being typed on it.
 */
export function lazyExtra<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: Nothing as ComponentType<Props> }),
    ),
  )
}

function Nothing() {
  return null
}
