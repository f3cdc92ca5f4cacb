import { Tabs as Radix, ToggleGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'

export interface Tab<Id extends string> {
  id: Id
  label: ReactNode
  content: ReactNode
  disabled?: boolean
}

export interface TabsProps<Id extends string> {
  /** Accessible name of the tabs. */
  label: string
  tabs: readonly Tab<Id>[]
  value: Id
  onChange: (id: Id) => void
  /** Shown at the end of the row of tabs. */
  after?: ReactNode
  className?: string
  panelClassName?: string
}

/** Tabs with one mounted panel. The caller keeps the selected tab, usually in the URL. */
export function Tabs<Id extends string>(props: TabsProps<Id>) {
  const { label, tabs, value, onChange, after, className, panelClassName } = props
  return (
    <Radix.Root
      value={value}
      onValueChange={(id) => onChange(id as Id)}
      className={cx('flex min-h-0 flex-col', className)}
    >
      <div className="flex shrink-0 items-center border-b border-border">
        <Radix.List aria-label={label} className="flex min-w-0 flex-1 overflow-x-auto px-1">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              disabled={tab.disabled}
              className="-mb-px flex h-9 items-center gap-1.5 whitespace-nowrap border-b-2 border-transparent px-2.5 text-row text-fg-muted outline-offset-[-2px] hover:text-fg disabled:opacity-50 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-fg"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {after}
      </div>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.id}
          value={tab.id}
          className={cx('min-h-0 flex-1 overflow-auto outline-offset-[-2px]', panelClassName)}
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

interface SegmentedProps<Value extends string> {
  /** Accessible name of the choice. */
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string; hint?: string }[]
}

/** A choice between a few visible options. */
export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => next !== '' && onChange(next as Value)}
      className="inline-flex h-7 w-fit shrink-0 rounded-control border border-border bg-sunken p-px coarse:h-10"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          title={option.hint}
          className="rounded-control px-2.5 text-row text-fg-muted hover:text-fg data-[state=on]:bg-surface data-[state=on]:font-medium data-[state=on]:text-fg data-[state=on]:shadow-[0_0_0_1px_var(--border)]"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
