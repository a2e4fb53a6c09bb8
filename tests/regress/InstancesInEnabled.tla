---- MODULE InstancesInEnabled ----
\* ENABLED of an instance asks for next values of the instance's own variables,
\* also where two of them stand for one (Specifying Systems, Section 17.8).  It
\* once was FALSE here.
EXTENDS Naturals
VARIABLE z
---- MODULE In ----
VARIABLES x, y
Both == x' = 0 /\ y' = 1
F == ENABLED Both
G == ENABLED (x # y /\ Both)
====
I == INSTANCE In WITH x <- z, y <- z
Init == z = 0
Next == z' = 1 - z
Inv == I!F /\ ~I!G
====
