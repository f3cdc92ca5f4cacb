export interface KeyListProps {
  label: string
  keys: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Keys of an object, to pick from. */
export function KeyList({ label, keys, chosen, onChange }: KeyListProps) {
  return (
    <fieldset className="flex max-h-32 flex-col gap-1 overflow-y-auto">
      <legend className="text-row text-fg-muted">{label}</legend>
      {keys.length === 0 && <p className="text-row text-fg-subtle">none</p>}
      {keys.map((key) => (
        <label key={key} className="flex min-w-0 items-center gap-2 text-row">
          <input
            type="checkbox"
            checked={chosen.includes(key)}
            onChange={({ target }) =>
              onChange(keys.filter((one) => (one === key ? target.checked : chosen.includes(one))))
            }
          />
          <span className="truncate font-mono">{key}</span>
        </label>
      ))}
    </fieldset>
  )
}
