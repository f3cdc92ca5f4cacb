import { indentJson, parseJson } from '@touchstone/formats/locate-json'
import { useCallback, useEffect, useState } from 'react'
import { CONTROL, TEXT_AREA } from '#ui/field.tsx'
import { JsonEditor } from '#ui/json-editor.tsx'
import { Select } from '#ui/select.tsx'
import { findNumberText, type SchemaField } from '../schema/schema-form.ts'

interface ValueControlProps {
  id: string
  field: SchemaField
  /** JSON text; empty where a choice is not made. */
  value: string
  /** Name of the part that has the field: `Inputs`. */
  label: string
  readOnly: boolean
  /** @param value  JSON text; undefined removes the key */
  onChange: (value: string | undefined) => void
  onSave: () => void
  onValidity?: OnValidity | undefined
}

/**
 * Called with true when the typed text becomes no value, for which `onChange` is not called, and with false when it is a
 * value again or its field disappears. Must keep its identity.
 */
export type OnValidity = (isInvalid: boolean) => void

/** How many fields of a form have a text that is no value. */
export function useInvalidFields() {
  const [count, setCount] = useState(0)
  const onValidity: OnValidity = useCallback((isInvalid) => setCount((before) => before + (isInvalid ? 1 : -1)), [])
  return { count, onValidity }
}

/** A control for a value of an example, by the kind of its field. */
export function ValueControl({ id, field, label, onSave, ...raw }: ValueControlProps) {
  const { value, readOnly, onChange } = raw
  switch (field.kind) {
    case 'text':
      return (
        <TextControl
          id={id}
          text={readText(value)}
          readOnly={readOnly}
          onChange={(text) => onChange(JSON.stringify(text))}
        />
      )
    case 'number':
      return <NumberControl id={id} {...raw} />
    case 'boolean':
    case 'choice': {
      const options = field.kind === 'boolean' ? ['true', 'false'] : field.options
      return (
        <Select
          id={id}
          value={value}
          disabled={readOnly}
          placeholder="Choose…"
          onChange={(option) => onChange(option === '' ? undefined : option)}
          options={[
            ...(field.kind === 'choice' && !field.isRequired ? [{ value: '', label: 'Not set' }] : []),
            ...options.map((option) => ({
              value: option,
              label: option.startsWith('"') ? readText(option) : option,
            })),
          ]}
          className="max-w-60"
        />
      )
    }
    case 'json':
      return <JsonValue label={`${label}: ${field.key}`} onSave={onSave} {...raw} />
  }
}

const MAX_LINES = 16

function TextControl(props: { id: string; text: string; readOnly: boolean; onChange: (text: string) => void }) {
  return (
    <textarea
      id={props.id}
      dir="auto"
      value={props.text}
      readOnly={props.readOnly}
      rows={Math.min(Math.max(props.text.split('\n').length, Math.ceil(props.text.length / 80)), MAX_LINES)}
      onChange={(event) => props.onChange(event.target.value)}
      className={`${TEXT_AREA} min-h-9! w-full resize-y whitespace-pre-wrap text-base`}
    />
  )
}

type RawProps = Pick<ValueControlProps, 'value' | 'readOnly' | 'onChange' | 'onValidity'>

function NumberControl({ id, readOnly, ...raw }: RawProps & { id: string }) {
  const { shown, isInvalid, change } = useRawText({ ...raw, print: printAsIs, read: findNumberText })
  const noteId = `${id}-note`
  return (
    <>
      <input
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={shown}
        readOnly={readOnly}
        aria-invalid={isInvalid}
        aria-describedby={isInvalid ? noteId : undefined}
        onChange={(event) => change(event.target.value)}
        className={`${CONTROL} max-w-60`}
      />
      <p id={noteId} aria-live="polite" className="break-words text-err empty:hidden">
        {isInvalid ? `This is not a number. The value is still ${raw.value}.` : ''}
      </p>
    </>
  )
}

function JsonValue({ label, onSave, ...raw }: RawProps & Pick<ValueControlProps, 'label' | 'onSave'>) {
  const { shown, change } = useRawText({ ...raw, print: indentJson, read: findJsonText })
  return (
    <JsonEditor
      label={label}
      value={shown}
      onChange={change}
      readOnly={raw.readOnly}
      onSave={onSave}
      className="max-h-60"
    />
  )
}

interface RawTextOptions extends Pick<RawProps, 'value' | 'onChange' | 'onValidity'> {
  print: (value: string) => string
  /** @returns the JSON text, or undefined while the typed text is no value */
  read: (typed: string) => string | undefined
}

/** What is typed stays in the field while it is no value yet; the example keeps its last valid value. */
function useRawText({ value, print, read, onChange, onValidity }: RawTextOptions) {
  const [edited, setEdited] = useState<{ typed: string; value: string; isInvalid: boolean }>()
  // A value that changed elsewhere, for example by Discard, replaces the typed text.
  const current = edited?.value === value ? edited : undefined
  function change(typed: string) {
    const next = read(typed)
    setEdited({ typed, value: next ?? value, isInvalid: next === undefined })
    if (next !== undefined && next !== value) onChange(next)
  }
  const isInvalid = current?.isInvalid === true
  useEffect(() => {
    if (!isInvalid) return
    onValidity?.(true)
    return () => onValidity?.(false)
  }, [isInvalid, onValidity])
  return { shown: current?.typed ?? print(value), isInvalid, change }
}

const printAsIs = (value: string) => value
const findJsonText = (typed: string) => ('problem' in parseJson(typed) ? undefined : typed)

/** The text of a JSON string. */
function readText(json: string): string {
  const parsed = parseJson(json)
  return 'value' in parsed && typeof parsed.value === 'string' ? parsed.value : json
}
