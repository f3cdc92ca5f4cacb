import type { BulkCount } from '@touchstone/sdk'
import { KeyList } from '#domain/add-to-dataset/key-list.tsx'

/** Keys that examples take of their runs. */
export interface PickedKeys {
  inputs: string[]
  outputs: string[]
}

export interface PickedKeysFieldsProps {
  counted: BulkCount
  value: PickedKeys
  onChange: (value: PickedKeys) => void
}

/** Which keys of the inputs and outputs go along, of those that the newest runs have. */
export function PickedKeysFields({ counted, value, onChange }: PickedKeysFieldsProps) {
  const keys = collectSampleKeys(counted)
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <KeyList
          label="Keys of the inputs"
          keys={keys.inputs}
          chosen={value.inputs}
          onChange={(inputs) => onChange({ ...value, inputs })}
        />
        <KeyList
          label="Keys of the outputs"
          keys={keys.outputs}
          chosen={value.outputs}
          onChange={(outputs) => onChange({ ...value, outputs })}
        />
      </div>
      <p className="text-row text-fg-muted">
        A run that lacks a key goes without it.
        {counted.sample.length < counted.runs &&
          ` These are the keys of the newest ${counted.sample.length}: others are left out.`}
      </p>
    </>
  )
}

/** All keys at the top of the payloads of the sample. */
export function collectSampleKeys({ sample }: BulkCount): PickedKeys {
  return {
    inputs: [...new Set(sample.flatMap(({ input_keys }) => input_keys ?? []))],
    outputs: [...new Set(sample.flatMap(({ output_keys }) => output_keys ?? []))],
  }
}
