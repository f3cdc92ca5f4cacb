import { Check } from 'lucide-react'
import type { DropdownMenu } from 'radix-ui'
import { createContext, type ReactElement, type ReactNode, use } from 'react'
import { cx } from '#lib/browser.ts'
import { layerCode, useLayerOnApproach } from './lazy.tsx'
import { Kbd } from './shortcuts.tsx'

export interface MenuProps {
  /** The button that opens the menu. It must pass props and a ref on to the DOM. */
  trigger: ReactElement
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

/** Radix's parts, provided by the layer, so that this module loads without Radix. */
export const MenuParts = createContext<typeof DropdownMenu | undefined>(undefined)
const code = layerCode(async () => (await import('./menu-layer.tsx')).MenuLayer)

/** A list of actions or choices under a button. */
export function Menu(props: MenuProps) {
  const { Layer, bare } = useLayerOnApproach(code, props.open === true, 'menu', props.onOpenChange)
  return Layer ? <Layer {...props} /> : bare(props.trigger)
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
  const Radix = useParts()
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

/** A checkbox; the menu stays open. */
export function MenuCheck(props: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) {
  const Radix = useParts()
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

/** A choice between a few options. */
export function MenuRadio<Value extends string>(props: {
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: ReactNode }[]
}) {
  const Radix = useParts()
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
  const Radix = useParts()
  return <Radix.Label className="px-2 py-1 text-meta text-fg-subtle">{children}</Radix.Label>
}

export function MenuLine() {
  const Radix = useParts()
  return <Radix.Separator className="my-1 h-px bg-border" />
}

function useParts(): typeof DropdownMenu {
  const parts = use(MenuParts)
  if (!parts) throw new Error('A menu item must be inside a Menu.')
  return parts
}
