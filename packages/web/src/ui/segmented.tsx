import { ToggleGroup } from 'radix-ui'

export interface SegmentedProps<Value extends string> {
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
      className="inline-flex h-7 shrink-0 rounded-control border border-border bg-sunken p-px coarse:h-10"
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
