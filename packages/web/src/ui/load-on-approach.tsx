import { type ComponentType, cloneElement, type ReactElement, useEffect, useState } from 'react'

/** Code of a layer (menu, popover) that is loaded when its trigger is hovered or focused. */
export interface LayerCode<Props> {
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
