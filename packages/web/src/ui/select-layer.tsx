import { Check, Search } from 'lucide-react'
import { Popover as Radix } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { cx } from '#lib/browser.ts'
import type { SelectOption } from '#lib/select.ts'
import { useMedia } from './hooks.tsx'
import { useWindow } from './use-window.tsx'

export interface SelectLayerProps {
  /** The field of the list. */
  trigger: RefObject<HTMLButtonElement | HTMLInputElement | null>
  listId: string
  label: string | undefined
  options: readonly SelectOption[]
  value: string
  /** Index of the option that Enter chooses; -1 for none. */
  active: number
  onActive: (index: number) => void
  onChoose: (index: number) => void
  /** @param hasFocus  whether the search had the focus, which the field gets back */
  onClose: (hasFocus: boolean) => void
  /** Keys of the list, also while the search has the focus. */
  onKeyDown: (event: KeyboardEvent) => void
  /** Absent: the list has no search field. */
  search?: { text: string; onChange: (text: string) => void }
}

/** The open list of a `Select` or a `Combobox`, loaded on hover or focus. */
export function SelectLayer(props: SelectLayerProps) {
  const { trigger, listId, label, options, search } = props
  const field = useRef<HTMLInputElement>(null)
  const name = label ?? getLabelText(trigger.current) ?? 'Options'
  const isOfTrigger = (target: EventTarget | null) =>
    target instanceof Node &&
    [trigger.current, ...(trigger.current?.labels ?? [])].some((element) => element?.contains(target))
  return (
    <Radix.Root open onOpenChange={(open) => !open && props.onClose(document.activeElement === field.current)}>
      <Radix.Anchor virtualRef={trigger as RefObject<HTMLElement>} />
      <Radix.Portal>
        <Radix.Content
          aria-label={name}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          // Without a search the field keeps the focus, so that keys work as in a native select. On touch screens the
          // keyboard of the device would cover the list.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (!matchMedia('(pointer: coarse)').matches) field.current?.focus({ preventScroll: true })
          }}
          onCloseAutoFocus={(event) => event.preventDefault()}
          // The field hears it, and keeps it from the form around it.
          onEscapeKeyDown={(event) => event.preventDefault()}
          // A press on the field closes the list by the field's own click.
          onInteractOutside={(event) => isOfTrigger(event.target) && event.preventDefault()}
          // A dialog behind the list blocks the wheel outside of itself.
          onWheel={(event) => event.stopPropagation()}
          onTouchMove={(event) => event.stopPropagation()}
          // A press on an option is not one on the row or the label around the field.
          onClick={(event) => event.stopPropagation()}
          className="z-70 flex max-h-[min(22rem,var(--radix-popover-content-available-height))] min-w-[max(8rem,var(--radix-popover-trigger-width))] max-w-[min(28rem,calc(100vw-16px))] animate-layer flex-col overflow-hidden rounded-card border border-border bg-surface shadow-layer"
        >
          {search !== undefined && (
            <div className="flex shrink-0 items-center gap-2 border-b border-border px-3">
              <Search size={13} className="shrink-0 text-fg-subtle" aria-hidden />
              <input
                ref={field}
                role="combobox"
                aria-label={`Search ${name}`}
                aria-expanded
                aria-controls={listId}
                aria-activedescendant={props.active >= 0 ? `${listId}-${props.active}` : undefined}
                aria-autocomplete="list"
                autoComplete="off"
                spellCheck={false}
                placeholder="Search"
                value={search.text}
                onChange={(event) => search.onChange(event.target.value)}
                onKeyDown={props.onKeyDown}
                className="h-8 min-w-0 flex-1 bg-transparent text-row text-fg outline-none placeholder:text-fg-subtle coarse:h-10"
              />
            </div>
          )}
          <OptionList {...props} name={name} />
          {options.length === 0 && <p className="px-3 pb-2 text-row text-fg-muted">No options match.</p>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The text of the label of a field; the label may also contain the field and a hint. */
function getLabelText(field: HTMLButtonElement | HTMLInputElement | null): string | undefined {
  const nodes = [...(field?.labels?.[0]?.childNodes ?? [])]
  return nodes.find((node) => !node.contains(field))?.textContent ?? undefined
}

interface ListProps extends SelectLayerProps {
  name: string
}

/** Longer lists mount only the options in view, unless they have groups. */
const MOUNTED = 200

function OptionList(props: ListProps) {
  const isLong = props.options.length > MOUNTED && props.options.every(({ group }) => group === undefined)
  return isLong ? <WindowedOptions {...props} /> : <AllOptions {...props} />
}

function AllOptions(props: ListProps) {
  const { options, active } = props
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when another option is active or listed
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [active, options.length])
  return (
    <List {...props} ref={list}>
      {options.map((option, index) => {
        const startsGroup = option.group !== undefined && option.group !== options[index - 1]?.group
        return [
          startsGroup && (
            <div
              key={`group ${option.group}`}
              role="presentation"
              className="px-2 pb-0.5 pt-1.5 text-meta text-fg-subtle"
            >
              {option.group}
            </div>
          ),
          <Option key={option.value} {...props} option={option} index={index} />,
        ]
      })}
    </List>
  )
}

function WindowedOptions(props: ListProps) {
  const { options, active } = props
  const list = useRef<HTMLDivElement>(null)
  const rowHeight = useMedia('(pointer: coarse)') ? 40 : 28
  const start = Math.max(0, active) * rowHeight
  const { from, to, reveal } = useWindow(list, {
    count: options.length,
    rowHeight,
    headerHeight: 0,
    initialOffset: start,
  })
  useEffect(() => {
    if (active >= 0) reveal(active)
  }, [active, reveal])
  return (
    <List {...props} ref={list}>
      <div role="presentation" style={{ height: from * rowHeight }} />
      {options.slice(from, to).map((option, at) => (
        <Option key={option.value} {...props} option={option} index={from + at} size={options.length} />
      ))}
      <div role="presentation" style={{ height: (options.length - to) * rowHeight }} />
    </List>
  )
}

function List({
  listId,
  name,
  ref,
  children,
}: ListProps & { ref: RefObject<HTMLDivElement | null>; children: ReactNode }) {
  return (
    // The focus stays in the field or in the search: a press on the list must not take it.
    <div
      ref={ref}
      id={listId}
      role="listbox"
      aria-label={name}
      tabIndex={-1}
      onMouseDown={(event) => event.preventDefault()}
      className="min-h-0 overflow-y-auto overscroll-contain p-1 outline-none"
    >
      {children}
    </div>
  )
}

interface OptionProps extends Pick<ListProps, 'listId' | 'value' | 'active' | 'onActive' | 'onChoose'> {
  option: SelectOption
  index: number
  /** Number of all options, where only some are mounted. */
  size?: number
}

function Option({ option, index, size, listId, value, active, onActive, onChoose }: OptionProps) {
  const isChosen = option.value === value
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field, which keeps the focus
    <div
      id={`${listId}-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-disabled={option.disabled || undefined}
      aria-setsize={size}
      aria-posinset={size === undefined ? undefined : index + 1}
      data-active={index === active || undefined}
      title={option.label}
      onPointerMove={() => index !== active && !option.disabled && onActive(index)}
      onClick={() => onChoose(index)}
      className={cx(
        'flex min-h-7 cursor-default select-none items-center gap-2 rounded-control px-2 text-row text-fg outline-none aria-disabled:opacity-50 data-active:bg-hover coarse:min-h-10',
        isChosen && 'font-medium',
      )}
    >
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {option.label}
      </span>
      <span className="size-3.5 shrink-0">{isChosen && <Check size={14} aria-hidden />}</span>
    </div>
  )
}
