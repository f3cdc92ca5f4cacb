import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button, IconButton } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FormField } from '#ui/field.tsx'
import { promptQuery } from '../queries.ts'

interface WebhookPromptsProps {
  label: string
  /** What no prompt in the list means. */
  hint: string
  /** Ids of prompts. */
  ids: readonly string[]
  onChange: (ids: readonly string[]) => void
}

/** A list of prompts of the workspace that can be added by name and removed. */
export function WebhookPrompts({ label, hint, ids, onChange }: WebhookPromptsProps) {
  const { data: prompts = [], isError } = useQuery(promptQuery.names())
  const [typed, setTyped] = useState('')
  const free = prompts.filter(({ id }) => !ids.includes(id))
  const chosen = free.find(({ name }) => name === typed.trim())
  function add() {
    if (chosen === undefined) return
    onChange([...ids, chosen.id])
    setTyped('')
  }
  function press(event: KeyboardEvent) {
    if (event.key !== 'Enter' || chosen === undefined) return
    // Enter would submit the form.
    event.preventDefault()
    add()
  }
  const getName = (id: string) => prompts.find((prompt) => prompt.id === id)?.name ?? id
  return (
    <div className="flex flex-col gap-1.5">
      <FormField
        label={label}
        hint={hint}
        error={
          isError ? 'The names of the prompts could not be loaded. Close this dialog and open it again.' : undefined
        }
      >
        {(props) => (
          <span className="flex items-center gap-2">
            <Combobox
              {...props}
              className="flex-1"
              placeholder="Name of a prompt"
              value={typed}
              onChange={setTyped}
              onKeyDown={press}
              suggestions={free.map(({ name }) => name)}
            />
            <Button disabled={chosen === undefined} onClick={add} aria-label={`Add to ${label}`}>
              Add
            </Button>
          </span>
        )}
      </FormField>
      {ids.length > 0 && (
        <ul aria-label={label} className="flex flex-wrap gap-1.5">
          {ids.map((id) => (
            <li
              key={id}
              className="inline-flex min-w-0 max-w-full items-center gap-1 rounded-control bg-sunken pl-2 text-row"
            >
              <bdi className="min-w-0 truncate font-mono">{getName(id)}</bdi>
              <IconButton
                icon={X}
                label={`Remove ${getName(id)}`}
                onClick={() => onChange(ids.filter((one) => one !== id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
