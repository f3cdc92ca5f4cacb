import type { ReactElement, ReactNode } from 'react'
import { layerCode, useLayerOnApproach } from './lazy.tsx'

export interface PopoverProps {
  /** The button that opens the popover. It must pass props and a ref on to the DOM. */
  trigger: ReactElement
  /** Accessible name. */
  label: string
  children: ReactNode
  /** @default 'start' */
  align?: 'start' | 'center' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
  className?: string
  /** Loads the code of the content. Called when the trigger is approached, and awaited before the popover opens. */
  preload?: () => Promise<unknown>
}

const code = layerCode(async () => (await import('./popover-layer.tsx')).PopoverLayer)

/** A layer beside its trigger, for small forms and lists. */
export function Popover({ preload, ...props }: PopoverProps) {
  const { Layer, bare } = useLayerOnApproach(code, props.open === true, 'dialog', props.onOpenChange, preload)
  return Layer ? <Layer {...props} /> : bare(props.trigger)
}
