// What the agent of the pictures says and writes.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const shop = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'shop');
const read = (file) => fs.readFileSync(path.join(shop, file), 'utf8');

export const plan = [
  'Find where the coupon is applied',
  'Apply it once, to the sum',
  'Run the tests',
  'Test a cart with a coupon',
];

export const cause = `\`total\` rounds **each price** after the coupon and ignores the quantity. I sum up first.\n\n`;

/** The files after the change. */
export const versions = {
  'src/cart.js': read('src/cart.js').replace(
    `    sum += applyCoupon(item.price, cart.coupon);
  }
  return sum;`,
    `    sum += item.price * item.quantity;
  }
  return applyCoupon(sum, cart.coupon);`,
  ),
  'test/cart.test.js': `${read('test/cart.test.js')}
test('a coupon is applied once', () => {
  const coupon = { percent: 10, ends: new Date('2100-01-01') };
  assert.equal(total({ ...cart(pen, pen), coupon }), 358);
});
`,
  'CHANGELOG.md': `${read('CHANGELOG.md')}- A coupon is applied to the sum, and the quantity counts.\n`,
};

export const explanation = `# How the total is made

See [cart.js](src/cart.js): the cart has **items**, each with a price in *cents* and a \`quantity\`.

## Steps

1. Sum up \`price * quantity\`
2. Apply the coupon
   - not if it has **expired**
   - rounded to whole cents

| coupon | two pens | pen and ink |
|---|---:|---:|
| none | 3.98 | 9.49 |
| 10 % | 3.58 | 8.54 |

> An expired coupon changes nothing, and nobody is told.

### In code

\`\`\`js
for (const item of cart.items) {
  sum += item.price * item.quantity;
}
return applyCoupon(sum, cart.coupon);
\`\`\`
`;
