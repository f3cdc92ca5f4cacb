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
}

const code = layerCode(async () => (await import('./popover-layer.tsx')).PopoverLayer)

/** A layer beside its trigger, for small forms and lists. */
export function Popover(props: PopoverProps) {
  const { Layer, bare } = useLayerOnApproach(code, props.open === true, 'dialog', props.onOpenChange)
  return Layer ? <Layer {...props} /> : bare(props.trigger)
}
