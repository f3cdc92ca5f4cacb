import { type ComponentType, cloneElement, lazy, type ReactElement, useEffect, useState } from 'react'

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

/** Code of a layer (menu, popover) that is loaded when its trigger is hovered or focused. */
interface LayerCode<Props> {
  /** The component after it has been loaded. */
  current: ComponentType<Props> | undefined
  load: () => Promise<unknown>
}

export function layerCode<Props>(load: () => Promise<ComponentType<Props>>): LayerCode<Props> {
  let loading: Promise<unknown> | undefined
  const code: LayerCode<Props> = {
    current: undefined,
    load: () => {
      loading ??= load().then(
        (component) => {
          code.current = component
        },
        () => {
          loading = undefined // the next hover or focus tries again
        },
      )
      return loading
    },
  }
  return code
}

/**
 * Returns the layer's component when it is open and loaded, and a function that draws the trigger until then. The trigger
 * loads the code on hover or focus and opens the layer on click.
 *
 * @param onOpenChange  called on that click
 */
export function useLayerOnApproach<Props>(
  code: LayerCode<Props>,
  isOpen: boolean,
  kind: 'menu' | 'dialog',
  onOpenChange?: (open: boolean) => void,
) {
  const [isPressed, setPressed] = useState(false)
  const [, setLoaded] = useState(code.current !== undefined)
  const isRequested = isPressed || isOpen
  useEffect(() => {
    if (isRequested && !code.current) void code.load().then(() => setLoaded(true))
  }, [isRequested, code])

  const preload = () => void code.load()
  return {
    Layer: isRequested ? code.current : undefined,
    /** Draws the trigger while the layer is not mounted. */
    bare: (trigger: ReactElement) =>
      cloneElement(trigger as ReactElement<Record<string, unknown>>, {
        'aria-haspopup': kind,
        'aria-expanded': false,
        onPointerEnter: preload,
        onFocus: preload,
        onClick: () => {
          setPressed(true)
          onOpenChange?.(true)
        },
      }),
  }
}
