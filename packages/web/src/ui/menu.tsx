import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'
import { Kbd } from './kbd.tsx'

export interface MenuProps {
  /** The button that opens it; one element that can hold a ref. */
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

export function Menu({ trigger, children, align = 'start', open, onOpenChange }: MenuProps) {
  return (
    <Radix.Root
      modal={false}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[var(--radix-dropdown-menu-content-available-height)] min-w-44 animate-layer overflow-auto rounded-card border border-border bg-surface p-1 shadow-layer"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const ITEM =
  'flex h-7 cursor-default select-none items-center gap-2 rounded-control px-2 text-row text-fg outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover coarse:h-10'

export interface MenuItemProps {
  children: ReactNode
  onSelect?: () => void
  icon?: ReactNode
  keys?: string
  disabled?: boolean
  danger?: boolean
  /** Renders the one child (a link) as the item. */
  asChild?: boolean
}

export function MenuItem({ children, onSelect, icon, keys, disabled, danger, asChild }: MenuItemProps) {
  const look = cx(ITEM, danger && 'text-err')
  if (asChild) {
    return (
      <Radix.Item asChild className={look}>
        {children}
      </Radix.Item>
    )
  }
  return (
    <Radix.Item
      className={look}
      {...(disabled === undefined ? {} : { disabled })}
      {...(onSelect === undefined ? {} : { onSelect })}
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys !== undefined && <Kbd keys={keys} />}
    </Radix.Item>
  )
}

/** A choice of several, the menu staying open. */
export function MenuCheck(props: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) {
  return (
    <Radix.CheckboxItem
      className={ITEM}
      checked={props.checked}
      onCheckedChange={props.onChange}
      onSelect={(event) => event.preventDefault()}
    >
      <span className="size-3.5">{props.checked && <Check size={14} aria-hidden />}</span>
      <span className="min-w-0 flex-1 truncate">{props.children}</span>
    </Radix.CheckboxItem>
  )
}

/** One choice of a few. */
export function MenuRadio<Value extends string>(props: {
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: ReactNode }[]
}) {
  return (
    <Radix.RadioGroup value={props.value} onValueChange={(value) => props.onChange(value as Value)}>
      {props.options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={ITEM}>
          <span className="size-3.5">
            <Radix.ItemIndicator>
              <Check size={14} aria-hidden />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-meta text-fg-subtle">{children}</Radix.Label>
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-border" />
}
