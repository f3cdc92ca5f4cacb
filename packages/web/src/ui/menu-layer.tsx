import { DropdownMenu as Radix } from 'radix-ui'
import { MenuParts, type MenuProps } from './menu.tsx'

/** The part of `Menu` that uses Radix, loaded on hover or focus. It is open when it mounts. */
export function MenuLayer({ trigger, children, align = 'start', open, onOpenChange }: MenuProps) {
  return (
    <MenuParts value={Radix}>
      <Radix.Root
        modal={false}
        {...(open === undefined ? { defaultOpen: true } : { open })}
        {...(onOpenChange === undefined ? {} : { onOpenChange })}
      >
        <Radix.Trigger asChild>{trigger}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            align={align}
            sideOffset={4}
            collisionPadding={8}
            className="z-70 max-h-[var(--radix-dropdown-menu-content-available-height)] min-w-44 animate-layer overflow-auto rounded-card border border-border bg-surface p-1 shadow-layer"
          >
            {children}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </MenuParts>
  )
}
