import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { Kbd } from '#ui/kbd.tsx'

export function PaletteGroup({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-fg-subtle"
    >
      {children}
    </Command.Group>
  )
}

export interface PaletteItemProps {
  icon: ReactNode
  children: ReactNode
  onSelect: () => void
  /** Keyboard shortcut of the same action. */
  keys?: string | undefined
  /** Text to search, unique among the items. @default the visible text */
  value?: string
  /** At the right, in place of a shortcut. */
  note?: ReactNode
}

export function PaletteItem({ icon, children, onSelect, keys, value, note }: PaletteItemProps) {
  return (
    <Command.Item
      onSelect={onSelect}
      {...(value === undefined ? {} : { value })}
      className="flex h-8 cursor-default items-center gap-2 rounded-control px-2 text-base data-[selected=true]:bg-selected coarse:h-10"
    >
      <span aria-hidden className="text-fg-subtle">
        {icon}
      </span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note !== undefined && <span className="max-w-48 shrink-0 truncate text-row text-fg-muted">{note}</span>}
      {keys !== undefined && <Kbd keys={keys} />}
    </Command.Item>
  )
}
