-- Buys three, if there are three.
SELECT quantity >= 3 AS enough FROM product WHERE id = 1 \gset
\if :enough
  UPDATE product SET quantity = quantity - 3 WHERE id = 1;
  \echo bought
\else
  \echo sold out
\endif
