import { removeMember, setMember } from '@touchstone/formats/edit-json'
import { parseJson } from '@touchstone/formats/locate-json'
import { Plus, X } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { createPreference, isOneOf } from '#lib/preferences.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { CONTROL } from '#ui/field.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { listFields, type SchemaField } from '../schema/schema-form.ts'
import { readChat } from './logic/chat-messages.ts'
import { MessageEditor } from './message-editor.tsx'
import { type OnValidity, ValueControl } from './value-control.tsx'

const MODES = [
  { value: 'form', label: 'Form', hint: 'A field per key, messages one below the other' },
  { value: 'json', label: 'JSON', hint: 'The text as it is stored' },
] as const
/** Until the user chooses, objects with messages open as a form. */
const modePreference = createPreference<'form' | 'json' | 'auto'>(
  'example-editor',
  'auto',
  isOneOf('form', 'json', 'auto'),
)

/** Whether an object is edited as a form or as JSON, and the control that changes it. */
export function useEditMode(hasMessages: boolean) {
  const [chosen, setMode] = usePreference(modePreference)
  const mode = chosen === 'auto' ? (hasMessages ? 'form' : 'json') : chosen
  return { mode, modes: <Segmented label="Edit as" value={mode} onChange={setMode} options={MODES} /> }
}

export interface ExampleFormProps {
  /** Name of the part, for labels of fields: `Inputs`. */
  label: string
  /** A JSON object as text. */
  json: string
  onChange: (json: string) => void
  schema: unknown
  readOnly: boolean
  onSave: () => void
  onValidity?: OnValidity | undefined
}

/** A field per key of a JSON object. */
export function ExampleForm({ label, json, onChange, schema, readOnly, onSave, onValidity }: ExampleFormProps) {
  const text = json.trim() === '' ? '{}' : json
  const parsed = parseJson(text)
  if ('problem' in parsed || !text.trim().startsWith('{')) {
    return <p className="text-row text-fg-muted">This is not a JSON object. Correct it as JSON first.</p>
  }
  const fields = listFields(schema, text)
  return (
    <div className="flex flex-col gap-3">
      {fields.length === 0 && <p className="text-row text-fg-subtle">No keys</p>}
      {fields.map((field) => (
        <FieldRow
          key={field.key}
          field={field}
          label={label}
          readOnly={readOnly}
          onSave={onSave}
          onValidity={onValidity}
          onChange={(value) =>
            onChange(value === undefined ? removeMember(text, field.key) : setMember(text, field.key, value))
          }
        />
      ))}
      {!readOnly && (
        <AddKey
          label={label}
          taken={fields.filter(({ value }) => value !== undefined).map(({ key }) => key)}
          onAdd={(key) => onChange(setMember(text, key, '""'))}
        />
      )}
    </div>
  )
}

interface FieldRowProps {
  field: SchemaField
  label: string
  readOnly: boolean
  /** @param value  JSON text; undefined removes the key */
  onChange: (value: string | undefined) => void
  onSave: () => void
  onValidity?: OnValidity | undefined
}

function FieldRow({ field, label, readOnly, onChange, onSave, onValidity }: FieldRowProps) {
  const id = useId()
  const { key, description, isRequired, value } = field
  const [hadMessages, setHadMessages] = useState(false)
  const chat = useMemo(
    () => (value === undefined ? undefined : readChat(value, key, hadMessages)),
    [value, key, hadMessages],
  )
  if (chat?.isList && !hadMessages) setHadMessages(true)
  const actions = { readOnly, onChange, onSave, onValidity }
  return (
    <div className="flex min-w-0 flex-col gap-1 text-row">
      <div className="flex min-h-6 items-center gap-2">
        <label htmlFor={id} className="min-w-0 truncate font-medium text-fg-muted">
          {key}
          {isRequired && <span className="font-normal text-fg-subtle"> (required)</span>}
        </label>
        {description !== undefined && (
          <span dir="auto" className="min-w-0 truncate text-fg-subtle">
            {description}
          </span>
        )}
        {!readOnly && value !== undefined && !isRequired && (
          <IconButton
            icon={X}
            label={`Remove ${key} from ${label}`}
            className="ml-auto size-6"
            onClick={() => onChange(undefined)}
          />
        )}
      </div>
      {value === undefined && field.kind !== 'choice' ? (
        <MissingValue id={id} field={field} readOnly={readOnly} onChange={onChange} />
      ) : chat !== undefined ? (
        <MessageEditor label={`${label}: ${key}`} chat={chat} {...actions} />
      ) : (
        <ValueControl id={id} field={field} value={value ?? ''} label={label} {...actions} />
      )}
    </div>
  )
}

const FIRST_VALUES = { text: '""', number: '0', boolean: 'false', choice: '""', json: 'null' } as const

function MissingValue({
  id,
  field,
  readOnly,
  onChange,
}: { id: string } & Pick<FieldRowProps, 'field' | 'readOnly' | 'onChange'>) {
  return (
    <div className="flex items-center gap-2 text-fg-subtle">
      Not set
      {!readOnly && (
        <Button id={id} look="quiet" onClick={() => onChange(FIRST_VALUES[field.kind])}>
          <Plus size={13} aria-hidden />
          Set a value
        </Button>
      )}
    </div>
  )
}

function AddKey({ label, taken, onAdd }: { label: string; taken: readonly string[]; onAdd: (key: string) => void }) {
  const [key, setKey] = useState('')
  const canAdd = key !== '' && !taken.includes(key)
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!canAdd) return
        onAdd(key)
        setKey('')
      }}
    >
      <input
        aria-label={`New key of ${label}`}
        placeholder="New key"
        value={key}
        onChange={(event) => setKey(event.target.value)}
        className={`${CONTROL} max-w-48`}
      />
      <Button type="submit" disabled={!canAdd}>
        <Plus size={13} aria-hidden />
        Add key
      </Button>
    </form>
  )
}
