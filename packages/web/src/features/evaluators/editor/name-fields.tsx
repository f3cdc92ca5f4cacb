import { TextField } from '#ui/field.tsx'

interface NameFieldsProps {
  name: string
  description: string
  /** Whether another evaluator of the workspace has the name. */
  isTaken: boolean
  /** What else is wrong with the name. */
  problem?: string | undefined
  onName: (name: string) => void
  onDescription: (description: string) => void
}

/** Name and description of an evaluator; names are unique in the workspace. */
export function NameFields({ name, description, isTaken, problem, onName, onDescription }: NameFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        maxLength={200}
        autoComplete="off"
        value={name}
        error={isTaken ? 'The workspace has an evaluator with this name.' : problem}
        onChange={onName}
      />
      <TextField label="Description" maxLength={5000} autoComplete="off" value={description} onChange={onDescription} />
    </>
  )
}
