import { type ComponentType, cloneElement, type ReactElement, useEffect, useState } from 'react'

/** Code of a layer (menu, popover) that is fetched only once somebody comes near its opener. */
export interface LayerCode<Props> {
  /** The component, once it is here. */
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
          loading = undefined // offline for a moment: the next approach tries again
        },
      )
      return loading
    },
  }
  return code
}

/**
 * The layer's component once it is wanted and here; until then the bare trigger, which fetches the code on hover or
 * focus and asks for the layer on a press.
 *
 * @param onOpenChange  told of that press, where the caller keeps what is open
 */
export function useLayerOnApproach<Props>(
  code: LayerCode<Props>,
  isOpen: boolean,
  kind: 'menu' | 'dialog',
  onOpenChange?: (open: boolean) => void,
) {
  const [isPressed, setPressed] = useState(false)
  const [, setArrived] = useState(code.current !== undefined)
  const isWanted = isPressed || isOpen
  useEffect(() => {
    if (isWanted && !code.current) void code.load().then(() => setArrived(true))
  }, [isWanted, code])

  const approach = () => void code.load()
  return {
    Layer: isWanted ? code.current : undefined,
    /** Draws the trigger while the layer itself does not. */
    bare: (trigger: ReactElement) =>
      cloneElement(trigger as ReactElement<Record<string, unknown>>, {
        'aria-haspopup': kind,
        'aria-expanded': false,
        onPointerEnter: approach,
        onFocus: approach,
        onClick: () => {
          setPressed(true)
          onOpenChange?.(true)
        },
      }),
  }
}
