import { useId } from 'react'
import { moveFocus } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import { QUICKSTARTS, type Quickstart } from './quickstarts/quickstarts.ts'

interface QuickstartPickerProps {
  value: Quickstart
  onChange: (id: string) => void
}

const GROUPS = [...new Set(QUICKSTARTS.map(({ group }) => group))]
const LABEL = 'What your program uses'

/** All ways to send a trace: one field with a search on a phone, else every way in sight, by group. */
export function QuickstartPicker({ value, onChange }: QuickstartPickerProps) {
  const options = QUICKSTARTS.map(({ id, name, group }) => ({ value: id, label: name, group }))
  return (
    <>
      <div className="sm:hidden">
        <Select aria-label={LABEL} options={options} value={value.id} onChange={onChange} />
      </div>
      <div role="radiogroup" aria-label={LABEL} onKeyDown={moveFocus} className="hidden flex-col gap-1.5 sm:flex">
        {GROUPS.map((group) => (
          <QuickstartGroup key={group} name={group} chosen={value} onChange={onChange} />
        ))}
      </div>
    </>
  )
}

interface QuickstartGroupProps {
  name: string
  chosen: Quickstart
  onChange: (id: string) => void
}

function QuickstartGroup({ name, chosen, onChange }: QuickstartGroupProps) {
  const labelId = useId()
  return (
    <div role="presentation" className="flex items-baseline gap-3">
      <span id={labelId} className="w-28 shrink-0 text-meta text-fg-subtle">
        {name}
      </span>
      <div role="presentation" className="flex min-w-0 flex-wrap gap-1">
        {QUICKSTARTS.filter(({ group }) => group === name).map((one) => (
          <button
            key={one.id}
            type="button"
            role="radio"
            aria-checked={one.id === chosen.id}
            aria-describedby={labelId}
            tabIndex={one.id === chosen.id ? 0 : -1}
            onClick={() => onChange(one.id)}
            className="h-7 rounded-control border border-border px-2.5 text-row text-fg-muted hover:text-fg aria-checked:border-accent aria-checked:font-medium aria-checked:text-fg coarse:h-10"
          >
            {one.name}
          </button>
        ))}
      </div>
    </div>
  )
}
