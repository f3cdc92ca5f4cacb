import { Tabs as Radix } from 'radix-ui'
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
        <Radix.List aria-label={label} className="scroll-strip flex min-w-0 flex-1 px-1">
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
