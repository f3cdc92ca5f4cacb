import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '#ui/button.tsx'
import { FormField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import type { Named } from '../use-names.ts'

interface PickSeveralProps {
  /** Of one, for example `project`. */
  noun: string
  chosen: readonly string[]
  objects: readonly Named[]
  nameOf: (id: string) => string
  max: number
  error?: string | undefined
  hint?: ReactNode
  onChange: (chosen: readonly string[]) => void
}

/** A list of chosen objects, each with a button that removes it, and a menu of the others. */
export function PickSeveral({ noun, chosen, objects, nameOf, max, error, hint, onChange }: PickSeveralProps) {
  const free = objects.filter(({ id }) => !chosen.includes(id))
  return (
    <>
      {chosen.length > 0 && (
        <ul aria-label={`Chosen ${noun}s`} className="flex flex-wrap gap-1">
          {chosen.map((id) => (
            <li
              key={id}
              className="flex max-w-64 items-center gap-1 rounded-control border border-border bg-surface pl-2 text-row"
            >
              <span dir="auto" className="min-w-0 truncate">
                {nameOf(id)}
              </span>
              <IconButton
                icon={X}
                label={`Remove ${nameOf(id)}`}
                onClick={() => onChange(chosen.filter((one) => one !== id))}
              />
            </li>
          ))}
        </ul>
      )}
      {chosen.length < max && (
        <FormField label={chosen.length === 0 ? capitalize(noun) : `Another ${noun}`} error={error} hint={hint}>
          {(field) => (
            <Select
              {...field}
              value=""
              placeholder={objects.length > 0 && free.length === 0 ? 'All are chosen' : `Choose a ${noun}`}
              disabled={free.length === 0}
              onChange={(id) => onChange([...chosen, id])}
              options={free.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </FormField>
      )}
    </>
  )
}

const capitalize = (noun: string) => noun.charAt(0).toUpperCase() + noun.slice(1)
