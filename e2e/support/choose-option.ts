import type { Locator } from 'playwright-core'

/** Opens a select and chooses the option with this label. */
export async function chooseOption(field: Locator, label: string): Promise<void> {
  await field.click()
  await field.page().getByRole('option', { name: label, exact: true }).click()
}
