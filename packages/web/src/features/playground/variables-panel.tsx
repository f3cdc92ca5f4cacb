import { TableRowsSplit, X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '#ui/button.tsx'
import { TEXT_AREA } from '#ui/field.tsx'
import type { VariableRow } from './logic/variables.ts'

interface VariablesPanelProps {
  rows: readonly VariableRow[]
  /** Whether there are several variants, so that the users of a variable are named. */
  hasSeveral: boolean
  onChange: (name: string, text: string) => void
  onRemove: (name: string) => void
  /** Takes the values from a row of a dataset. */
  onTake: () => void
}

const KINDS = { text: '', messages: 'list of messages', json: 'JSON' } as const

/** Values of the variables of all variants. */
export function VariablesPanel({ rows, hasSeveral, onChange, onRemove, onTake }: VariablesPanelProps) {
  return (
    <section aria-label="Variables" className="flex min-w-0 flex-col gap-3 p-3">
      <div className="flex min-w-0 items-center gap-2">
        <h2 className="text-row font-medium">Variables</h2>
        <IconButton icon={TableRowsSplit} label="Take a row of a dataset" className="ml-auto" onClick={onTake} />
      </div>
      {rows.length === 0 && (
        <p className="text-row text-fg-muted">
          None. Choose a template language and write {'{name}'} or {'{{name}}'} in a message.
        </p>
      )}
      {rows.map((row) => (
        <VariableField
          key={row.name}
          row={row}
          users={hasSeveral && row.usedBy.length > 0 ? row.usedBy.join(', ') : undefined}
          onChange={(text) => onChange(row.name, text)}
          onRemove={() => onRemove(row.name)}
        />
      ))}
    </section>
  )
}

interface VariableFieldProps {
  row: VariableRow
  users: string | undefined
  onChange: (text: string) => void
  onRemove: () => void
}

function VariableField({
  row: { name, kind, text, state, isOptional, problem },
  users,
  onChange,
  onRemove,
}: VariableFieldProps) {
  const [id] = useState(() => `variable-${name}`)
  const note =
    problem ?? (state === 'missing' ? 'No value' : state === 'unused' ? 'Not used by any variant' : undefined)
  return (
    <div className="flex min-w-0 flex-col gap-1 text-row">
      <div className="flex min-w-0 items-center gap-2">
        <label htmlFor={id} className="min-w-0 truncate font-mono">
          {name}
        </label>
        <span className="min-w-0 truncate text-meta text-fg-muted">
          {[KINDS[kind], state !== 'unused' && isOptional && 'optional', users && `in ${users}`]
            .filter(Boolean)
            .join(', ')}
        </span>
        {state === 'unused' && (
          <IconButton icon={X} label={`Remove the value of ${name}`} className="ml-auto" onClick={onRemove} />
        )}
      </div>
      <textarea
        id={id}
        dir="auto"
        rows={kind === 'text' ? 1 : 3}
        spellCheck={false}
        value={text}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        aria-invalid={problem === undefined ? undefined : true}
        placeholder={kind === 'messages' ? '[{"role": "user", "content": "Hello"}]' : undefined}
        onChange={(event) => onChange(event.target.value)}
        className={`${TEXT_AREA} !min-h-8 max-h-60 [field-sizing:content] ${kind === 'text' ? '' : 'font-mono !text-row'}`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? 'text-meta text-warn' : 'text-meta text-err'}>
          {note}
        </p>
      )}
    </div>
  )
}
