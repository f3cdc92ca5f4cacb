import { screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'

/** Opens the select with a label and chooses an option by its own label. */
export async function chooseOption(label: string, option: string): Promise<void> {
  await userEvent.click(screen.getByLabelText(label))
  await userEvent.click(await screen.findByRole('option', { name: option }))
}
